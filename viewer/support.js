/*
 * Support files: what a machine says of itself (docs/SUPPORT.md), as it was recorded.
 */
'use strict';

/* A table's bytes from its pieces, as {source, name, bytes, data}; `data` is shorter where a piece is missing. */
function tableBytes(records) {
    const tables = new Map();
    for (const {source, name, bytes, at, data} of records.filter(record => record.t === 'bytes')) {
        const key = `${source} ${name}`;
        if (!tables.has(key) || (at === 0 && tables.get(key).data.length >= bytes))
            tables.set(key, {source, name, bytes, data: []});
        const table = tables.get(key);
        if (table.data.length === at)
            table.data.push(...(data.match(/../g) || []).map(digits => parseInt(digits, 16)));
    }
    return [...tables.values()];
}

/* Lines of an offset, sixteen bytes, and the same as characters. */
function hexDump(data) {
    const lines = [];
    for (let at = 0; at < data.length; at += 16) {
        const row = data.slice(at, at + 16);
        const digits = row.map(byte => byte.toString(16).padStart(2, '0')).join(' ');
        const characters = row.map(byte => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.').join('');
        lines.push(`${at.toString(16).padStart(6, '0')}  ${digits.padEnd(47)}  ${characters}`);
    }
    return lines.join('\n');
}

const SOURCES = {acpi: 'ACPI table', smbios: 'SMBIOS', devicetree: 'Device tree'};

function bytesDetails({source, name, bytes, data}) {
    const details = h('details', {class: 'table bytes', 'data-name': name}, h('summary', {}, `${SOURCES[source] || source} ${name}, ${number(bytes)} bytes${data.length < bytes ? `, of which ${number(data.length)} are here` : ''}`));
    details.addEventListener('toggle', () => { /* a device tree has thousands of lines, which are made when wanted */
        if (details.open && !details.querySelector('pre'))
            details.append(h('pre', {class: 'dump', tabindex: 0, role: 'region', 'aria-label': `${name} in hexadecimal digits`}, hexDump(data)));
    });
    return details;
}

const namesAndValues = registers => ({columns: ['name', 'value'], rows: Object.entries(registers)});

/* A register whose read faulted has no value. */
function registersTable({group, columns, rows, left_out: leftOut}) {
    if (leftOut)
        return h('p', {class: 'notice warn'}, h('b', {}, `${group} was left out:`), ` ${leftOut}`);
    const value = columns.indexOf('value');
    return recordTable(`registers: ${group.replace(/^support-/, '')}`, {columns, rows: rows.map(row => row.map((cell, i) => i === value && cell === null ? 'reading it faulted' : cell))});
}

/* How each kind of record is shown, in this order. */
const SUPPORT_KINDS = {
    identity: record => recordTable('identification', namesAndValues(record.registers)),
    control: record => recordTable('control registers', namesAndValues(record.registers)),
    registers: registersTable,
    memory_map: record => recordTable('memory map', record),
    protocols: record => recordTable('protocols', record),
    acpi: record => recordTable('ACPI tables', record),
};

function supportFile({file, head, records}) {
    const firmware = head.firmware || {};
    return h('section', {class: 'card support-file'}, h('h2', {}, head.core_model || head.core_name || 'unnamed core'),
        records.some(record => record.t === 'support_end') ? null
            : h('p', {class: 'notice bad'}, h('b', {}, 'This file is not whole.'), ' It has no "support_end" record: the machine hung or lost power while it was written, or the file was cut.'),
        facts([['Core design', head.core_name], ['Instruction set', head.isa], ['Run', head.number], ['Date', head.date], ['Build', head.build], ['Machine', head.fingerprint],
               ['Firmware', firmware.vendor && `${firmware.vendor} ${firmware.revision}, UEFI ${firmware.uefi}`], ['File', file]]),
        records.filter(record => record.t === 'warning').map(warning => h('p', {class: 'notice warn'}, h('b', {}, `${warning.subject}:`), ` ${warning.text}`)),
        Object.entries(SUPPORT_KINDS).flatMap(([kind, show]) => records.filter(record => record.t === kind).map(show)),
        tableBytes(records).map(bytesDetails));
}

const supportView = files => [
    h('p', {class: 'quiet'}, 'What the machine says of itself: firmware’s tables, memory map, protocols and registers. Serial numbers, UUIDs, network addresses and keys have been taken out.'),
    files.map(supportFile),
];
