/*
 * Reading run files: lines of JSON whose last key is a checksum of the line (lib/base/record.h), alone in a file or among
 * other text in a log of the serial line, where they may be folded into short numbered parts.
 *
 * The same rules as scripts/records.py. A file is read in slices, and the page can paint and respond between them.
 */
'use strict';

/* CRC-32 of IEEE 802.3, reflected, a byte at a time. */
const CRC_TABLE = Uint32Array.from({length: 256}, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++)
        crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
});

function crc32(bytes, length) {
    let crc = ~0;
    for (let i = 0; i < length; i++)
        crc = CRC_TABLE[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
    return ~crc >>> 0;
}

const RECORD_BEGINS = '{"t":';
const CHECKSUM_BYTES = ',"c":"01234567"}'.length;
/* ECMA-48 control sequences, which firmware's console puts between and into lines. */
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\^_=>])/g;
/* Number of the record, number of the part, + when more follow or . for the last, text. */
const FOLDED = /~(\d{6})\.([0-9a-f]{2})([+.])(.*)$/s;

const utf8 = new TextDecoder();
/* Bytes as characters of the same numbers and back: serial lines are searched as text without changing a byte.
 * (TextDecoder's "latin1" is windows-1252, which changes some.) */
function textOf(bytes) {
    let text = '';
    for (let at = 0; at < bytes.length; at += 8192)
        text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return text;
}
const bytesOf = text => Uint8Array.from(text, character => character.charCodeAt(0));

/* The record of a line, or null where it is damaged. */
function parseRecord(bytes) {
    const end = bytes.length - CHECKSUM_BYTES;
    const match = end > 0 && /^,"c":"([0-9a-f]{8})"\}$/.exec(textOf(bytes.subarray(end)));
    if (!match || crc32(bytes, end) !== parseInt(match[1], 16))
        return null;
    try {
        return JSON.parse(utf8.decode(bytes));
    } catch (error) {
        return null;
    }
}

function beginsRecord(bytes) {
    for (let i = 0; i < RECORD_BEGINS.length; i++)
        if (bytes[i] !== RECORD_BEGINS.charCodeAt(i))
            return false;
    return true;
}

/* Takes bytes in any portions and gives each good record to take(). `damaged` holds the numbers of the lines of damaged records. */
class RecordReader {
    constructor(take) {
        this.take = take;
        this.good = 0;
        this.damaged = [];
        this.otherLines = 0;
        this.lines = 0;
        this.cutShort = false; /* the last line has no end */
        this.kept = [];        /* pieces of a line that is not complete */
        this.number = null;    /* of the folded record under way, or the last one */
        this.parts = null;     /* its parts so far; null: it is complete, or lost */
    }

    add(bytes) {
        let from = 0;
        for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
            this.addPiece(bytes.subarray(from, to));
            this.endLine();
            from = to + 1;
        }
        if (from < bytes.length)
            this.addPiece(bytes.slice(from));
    }

    finish() {
        if (this.kept.length) {
            const before = this.damaged.length;
            this.endLine();
            this.cutShort = this.damaged.length > before;
        }
        this.dropFolded();
    }

    addPiece(piece) {
        this.kept.push(piece);
    }

    endLine() {
        let line = this.kept[0];
        if (this.kept.length > 1) {
            line = new Uint8Array(this.kept.reduce((sum, piece) => sum + piece.length, 0));
            this.kept.reduce((at, piece) => (line.set(piece, at), at + piece.length), 0);
        }
        this.kept = [];
        this.lines++;
        while (line.length && line[line.length - 1] === 13)
            line = line.subarray(0, -1);
        if (beginsRecord(line) && this.addGood(line))
            return;
        this.addText(line);
    }

    addGood(line) {
        const record = parseRecord(line);
        if (record) {
            this.good++;
            this.take(record);
        }
        return record !== null;
    }

    addWhole(line) {
        if (!this.addGood(line))
            this.damaged.push(this.lines);
    }

    /* A line that is not simply a record: a record behind other text, a folded part, a damaged record, or other text. */
    addText(line) {
        let text = textOf(line).replace(ESCAPES, '');
        text = text.slice(text.lastIndexOf('\r') + 1);
        const start = text.indexOf(RECORD_BEGINS);
        const folded = FOLDED.exec(text);
        if (folded && !(start >= 0 && start < folded.index))
            this.addPart(Number(folded[1]), parseInt(folded[2], 16), folded[3] === '.', folded[4]);
        else if (start >= 0)
            this.addWhole(bytesOf(text.slice(start)));
        else if (text.trim())
            this.otherLines++;
    }

    addPart(number, part, last, text) {
        const begins = part === 0 && text.startsWith(RECORD_BEGINS);
        if (begins || number !== this.number) {
            this.dropFolded();
            /* a lower number is that of the next boot */
            for (let lost = this.number === null ? number : this.number + 1; lost < number; lost++)
                this.damaged.push(this.lines);
            this.number = number;
            this.parts = begins ? [] : null;
            if (!begins)
                this.damaged.push(this.lines);
        }
        if (!this.parts)
            return;
        if (part !== this.parts.length % 256) {
            this.dropFolded();
            return;
        }
        this.parts.push(text);
        if (last) {
            const whole = this.parts.join('');
            this.parts = null;
            this.addWhole(bytesOf(whole));
        }
    }

    dropFolded() {
        if (this.parts)
            this.damaged.push(this.lines);
        this.parts = null;
    }
}

const SLICE_BYTES = 1 << 18;
const TURN_MS = 12;
/* A file without a record in this many bytes is not one of ours, and is not read to its end. */
const FOREIGN_BYTES = 8 << 20;

/* Lets the page paint and respond: a timer comes after everything that is waiting. */
const turn = () => new Promise(resolve => setTimeout(resolve));

/* Reads a File or Blob, gives its records to take(), and calls progress(bytes, records) from time to time. Returns the reader. */
async function readRecords(blob, take, progress) {
    const reader = new RecordReader(take);
    let since = performance.now();
    reader.size = blob.size;
    reader.longestTurn = 0;
    for (let at = 0; at < blob.size; at += SLICE_BYTES) {
        const bytes = new Uint8Array(await blob.slice(at, at + SLICE_BYTES).arrayBuffer());
        const began = performance.now();
        reader.add(bytes);
        reader.longestTurn = Math.max(reader.longestTurn, performance.now() - began);
        if (performance.now() - since > TURN_MS) {
            progress(at + bytes.length, reader.good);
            await turn();
            since = performance.now();
        }
        if (at > FOREIGN_BYTES && !reader.good && !reader.damaged.length) {
            reader.kept = [];
            break;
        }
    }
    reader.finish();
    return reader;
}
