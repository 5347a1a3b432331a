/*
 * Numbers and units for people, by the same rules as the table that the run prints (lib/finding/report.c).
 */
'use strict';

const THIN = '\u202f'; /* narrow space that does not break */
const MINUS = '\u2212';

/* Four significant digits; whole numbers in full, from five digits on in groups of three. */
function number(value, figures = 4) {
    if (value === null || value === undefined || Number.isNaN(value))
        return '–';
    const size = Math.abs(value);
    let text = size >= 10 ** figures ? String(Math.round(value)) : String(Number(value.toPrecision(figures)));
    if (size > 0 && size < 1e-4)
        text = value.toExponential(2);
    if (/^-?\d{5,}$/.test(text))
        text = text.replace(/\B(?=(\d{3})+$)/g, THIN);
    return text.replace(/^-/, MINUS);
}

/* The scale in which a value of this unit is shown. */
function scaleFor(value, unit) {
    const size = Math.abs(value);
    if (unit === 'bytes' && size >= 10 * 1048576)
        return {divisor: 1048576, unit: 'MiB'};
    if (unit === 'bytes' && size >= 1024)
        return {divisor: 1024, unit: 'KiB'};
    if (unit === 'Hz' && size >= 1e6)
        return {divisor: 1e9, unit: 'GHz'};
    return {divisor: 1, unit: unit || ''};
}

/* A value with its unit; text is left as it is, a list of two values is a range. */
function quantity(value, unit, scale) {
    if (typeof value === 'string')
        return value;
    if (Array.isArray(value))
        return value.map(each => quantity(each, unit, scale)).join(' to ');
    if (value === null || value === undefined)
        return '–';
    const s = scale || scaleFor(value, unit);
    return `${number(value / s.divisor)}${s.unit ? ' ' + s.unit : ''}`;
}

const scaleOf = finding => {
    const first = (finding.published || [])[0];
    const shown = typeof finding.value === 'number' ? finding.value
                : first ? [].concat(first.value)[0] : 0;
    return scaleFor(shown, finding.unit);
};

function intervalText(finding) {
    if (typeof finding.low !== 'number' || typeof finding.high !== 'number')
        return '';
    const scale = scaleOf(finding);
    return `[${number(finding.low / scale.divisor, 5)}, ${number(finding.high / scale.divisor, 5)}]`;
}

/* Whether a unit is that of a time or a rate, whose values are never exact; others count something. */
const isRate = unit => /cycle/.test(unit) || unit === 'ns' || unit === 'Hz';
const RATES_AGREE = 0.02;

/* The difference between a finding and a published value; 0 where they agree, null where there is nothing to compare. */
function difference(finding, published) {
    if (finding.grade === 'U' || typeof finding.value !== 'number')
        return null;
    const [from, to] = Array.isArray(published.value) ? published.value : [published.value, published.value];
    const nearest = Math.min(Math.max(finding.value, from), to);
    const interval = typeof finding.low === 'number' && typeof finding.high === 'number';
    if (finding.value === nearest || (interval && finding.low <= nearest && nearest < finding.high))
        return 0;
    if ((isRate(finding.unit) || !interval) && Math.abs(finding.value - nearest) <= RATES_AGREE * nearest)
        return 0;
    return finding.value - nearest;
}

function signed(value, scale) {
    return (value > 0 ? '+' : '') + number(value / scale.divisor, 4);
}

/* ---- Axes ---------------------------------------------------------------------------------------------------------- */

/* "footprint_bytes" is a footprint in bytes. */
function axisOf(name) {
    const match = /^(.*?)_?(bytes|cycles|ns|us)(_\w+)?$/.exec(name || '');
    if (!match)
        return {title: (name || '').replace(/_/g, ' '), unit: ''};
    const title = `${match[1]}${match[3] || ''}`.replace(/_/g, ' ').trim();
    return {title: title || match[2], unit: title ? match[2] : '', bytes: match[2] === 'bytes'};
}

function bytesText(value) {
    if (value >= 1 << 30)
        return `${number(value / 1073741824)} GiB`;
    if (value >= 1 << 20 && value % (1 << 18) === 0)
        return `${number(value / 1048576)} MiB`;
    if (value >= 1024)
        return `${number(value / 1024)} KiB`;
    return `${number(value)} B`;
}

const axisValue = (axis, value) => axis.bytes ? bytesText(value) : number(value, 5);

/* ---- CSV (RFC 4180) -------------------------------------------------------------------------------------------------- */

function csv(rows) {
    const cell = value => {
        const text = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
        return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    };
    return rows.map(row => row.map(cell).join(',')).join('\r\n') + '\r\n';
}
