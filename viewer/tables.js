/*
 * Curves, matrices and tables as they were recorded, by probe; and the table of instructions.
 */
'use strict';

const INSTRUCTIONS = 'backend.instruction', INSTRUCTION_UNITS = 'backend.instruction.units';

/* Probes in the order in which they ran, with the curves, matrices and tables of each. */
function byProbe(core) {
    const probes = new Map(core.starts.map(start => [start.probe, {curves: [], matrices: [], tables: []}]));
    const add = kind => record => {
        const name = record.probe || 'unnamed';
        if (!probes.has(name))
            probes.set(name, {curves: [], matrices: [], tables: []});
        probes.get(name)[kind].push(record);
    };
    core.curves.forEach(add('curves'));
    core.matrices.forEach(add('matrices'));
    core.tables.filter(table => table.name !== INSTRUCTIONS && table.name !== INSTRUCTION_UNITS).forEach(add('tables'));
    return new Map([...probes].filter(([, {curves, matrices, tables}]) => curves.length || matrices.length || tables.length));
}

/* Tables from records: a record with rows is a table; records without rows are the rows of one table of their name. */
function tablesOf(records) {
    const flat = new Map(), shown = [];
    const skip = new Set(['t', 'probe', 'name', 'core', 'type', 'c', 'columns', 'rows']);
    for (const record of records) {
        if (Array.isArray(record.columns) && Array.isArray(record.rows)) {
            const about = Object.entries(record).filter(([key]) => !skip.has(key)).map(([key, value]) => `${key} ${shownValue(value)}`).join(', ');
            shown.push({title: `${record.name}${about ? ` (${about})` : ''}`, columns: record.columns, rows: record.rows});
        } else {
            if (!flat.has(record.name))
                flat.set(record.name, []);
            flat.get(record.name).push(record);
        }
    }
    for (const [name, rows] of flat) {
        const columns = [...new Set(rows.flatMap(row => Object.keys(row)))].filter(key => !skip.has(key));
        shown.push({title: name, columns, rows: rows.map(row => columns.map(column => row[column]))});
    }
    return shown;
}

function recordTable(title, {columns, rows}) {
    const numeric = columns.map((_, i) => rows.some(row => typeof row[i] === 'number') && rows.every(row => row[i] === null || row[i] === undefined || typeof row[i] === 'number'));
    const table = sortableTable(columns.map((name, i) => ({title: String(name).replace(/_/g, ' '), value: row => row[i], number: numeric[i]})), rows, {page: 50, label: title});
    return h('details', {class: 'table'}, h('summary', {}, `${title}, ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`), table.element,
             h('p', {}, button('CSV', () => saveCsv(title, [columns, ...rows]))));
}

function measurementsView(core) {
    const probes = [...byProbe(core)];
    if (!probes.length)
        return [h('p', {}, 'This run has no curves, matrices or tables.')];
    const jump = h('select', {id: 'jump', onchange: event => {
        const target = document.getElementById(`probe-${event.target.value}`);
        target.open = true;
        target.scrollIntoView();
        target.querySelector('summary').focus();
    }}, probes.map(([name]) => h('option', {value: name}, probeTitle(name))));
    return [
        h('div', {class: 'controls'}, h('label', {for: 'jump'}, 'Probe'), jump, h('span', {class: 'gap'}),
          button('Save all curves as CSV', () => saveCsv(`${coreName(core)}-curves`, [['probe', 'curve', 'axis', 'x', 'unit', 'y'], ...core.curves.flatMap(curve => seriesOf(curve).flatMap(s => s.x.map((x, i) => [curve.probe, s.name, curve.axis, x, curve.unit, s.y[i]])))]))),
        h('p', {class: 'quiet'}, 'A shaded band is the interval of a knee, with a line at its value; a horizontal line is a level of the curve. Click on the name of a plot to open it large, to zoom, read values and save it.'),
        probes.map(([name, {curves, matrices, tables}], i) => {
            const counts = [[curves, 'curve'], [matrices, 'matrix'], [tables, 'table']].filter(([list]) => list.length)
                .map(([list, word]) => `${list.length} ${list.length === 1 ? word : word === 'matrix' ? 'matrices' : word + 's'}`).join(', ');
            const content = lazily(h('div', {style: 'min-height:40px'}), element => {
                element.removeAttribute('style');
                element.append(...plotGrid(curves, matrices, false, `${name} `), ...tablesOf(tables).map(table => recordTable(`${name} ${table.title}`, table)), experiment(name, probesKnown.get(name)));
            });
            return h('details', {class: 'probe', id: `probe-${name}`, open: i < 3}, h('summary', {}, h('span', {class: 'probe-title'}, probeTitle(name)), h('span', {class: 'quiet'}, ` ${name}; ${counts}`)), content);
        }),
    ];
}

/* ---- Instructions ----------------------------------------------------------------------------------------------------- */

const rowsOf = (core, name) => core.tables.filter(table => table.name === name).flatMap(table =>
    table.rows.map(row => Object.fromEntries([...table.columns.map((column, i) => [column, row[i]]), ['probe', table.probe], ['trusted', table.trusted]])));

/* Where the operations of a form run: "2 × 4 5, 9 10 11 (some)"; null where that is not decided. */
function unitsText({state, operations}) {
    if (state !== 'decided' && state !== 'partial')
        return null;
    const each = operations.map(([times, relation, ports, cycles]) => `${times > 1 ? `${times} × ` : ''}${ports}${relation === '=' ? '' : ' (some)'}${cycles > 1 ? `, ${cycles} cycles each` : ''}`);
    return (each.join(' + ') || 'none') + (state === 'partial' ? ', perhaps more' : '');
}

/* Rows of the table of instructions, and of forms of which only the units were asked. */
function instructionsOf(core) {
    const rows = new Map(rowsOf(core, INSTRUCTIONS).map(row => [row.form, row]));
    for (const placed of rowsOf(core, INSTRUCTION_UNITS)) {
        const row = rows.get(placed.form) || {form: placed.form, feature: '', class: '', state: placed.state === 'absent' || placed.state === 'not-measured' ? placed.state : 'units only', reason: placed.reason, relation: '=', cycles: placed.cycles, bytes: '', probe: placed.probe, trusted: placed.trusted};
        rows.set(placed.form, {...row, units: unitsText(placed), slots: placed.slots, units_undecided: placed.state === 'undecided' ? placed.reason : null, tests: placed.tests});
    }
    return [...rows.values()];
}

const bound = (relation, value, figures) => typeof value === 'number' ? `${relation === '=' ? '' : '≤ '}${number(value, figures)}` : '–';

/* From the shortest to the longest chain through a form; a latency is [from, to, relation, cycles, …]. */
function latencyRange(row) {
    const all = (row.latencies || []).filter(([, , , cycles]) => typeof cycles === 'number');
    if (!all.length)
        return null;
    const sorted = all.sort((a, b) => a[3] - b[3]), first = sorted[0], last = sorted[sorted.length - 1];
    const from = bound(first[2], first[3], 3), to = bound(last[2], last[3], 3);
    return {most: last[3], text: from === to ? to : `${from} to ${to}`};
}

/* The columns of latencies, in their order in the record (probes/backend/instructions.c). */
const LATENCY_COLUMNS = ['From operand', 'To operand', 'Relation', 'Cycles', 'Whole number', 'Reason', 'Whole chain', 'Closed by', 'Machine code'];

function latencyTable(latencies) {
    const columns = LATENCY_COLUMNS.slice(0, Math.max(...latencies.map(each => each.length)));
    return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Latencies'}, h('table', {class: 'plain'},
        h('thead', {}, h('tr', {}, columns.map(text => text === 'Relation' ? null : h('th', {scope: 'col'}, text)))),
        h('tbody', {}, latencies.map(each => h('tr', {}, columns.map((text, i) => text === 'Relation' ? null
            : text === 'Cycles' ? h('td', {class: 'number'}, bound(each[2], each[3]))
            : text === 'Machine code' ? h('td', {class: 'code'}, each[i] || '') : h('td', {class: typeof each[i] === 'number' ? 'number' : null}, each[i] === null ? '' : shownValue(each[i]))))))));
}

function instructionDetail(row) {
    const {form, feature, state, reason, relation, cycles, kernel_n_cycles: once, kernel_2n_cycles: twice, latencies, bytes, trusted, values, probe,
           class: kind, same_register_cycles: same, same_register_chain_cycles: chain, text, units, slots, units_undecided: why, tests, ...others} = row;
    return h('div', {class: 'detail'}, facts([
        ['State', state], ['Reason', reason], ['Class', kind],
        ['Cycles per instruction', typeof cycles === 'number' ? `${bound(relation, cycles)}: the difference between a kernel of 2n instances, ${number(twice)} cycles each, and one of n instances, ${number(once)} cycles each` : null],
        ['Units', units], ['Units undecided', why], ['Slots of the front end', typeof slots === 'number' ? number(slots) : null],
        ['Operations that can run on no other units', (tests || []).filter(([, first]) => Math.abs(first) >= 0.1).map(([ports, ...ops]) => `${ports}: ${ops.filter(each => typeof each === 'number').map(each => number(each, 2)).join(' and ')}`).join('; ')],
        ['With other values', (values || []).map(([name, each]) => `${name} ${number(each)}`).join(', ')],
        ['With one register for all operands', typeof same === 'number' ? `${number(same)} cycles each${typeof chain === 'number' ? `, ${number(chain)} in a chain` : ''}` : null],
        ['Machine code', bytes],
        ['Trusted', trusted === false ? 'no: the clock of this platform cannot be trusted' : null],
        ...Object.entries(others).map(([key, value]) => [words(key), value === null ? null : shownValue(value)])]),
        (latencies || []).length ? latencyTable(latencies) : null,
        experiment(probe, probesKnown.get(probe)));
}

function instructionsView(core) {
    const rows = instructionsOf(core);
    if (!rows.length)
        return [h('p', {}, 'This run has no table of instructions: the probes “instructions” and “form_units” did not run.')];
    for (const row of rows)
        row.text = `${row.form} ${row.feature} ${row.class} ${row.state}`.toLowerCase();
    const values = key => [...new Set(rows.map(row => row[key]).filter(Boolean))].sort();
    const choose = (id, text, key) => [h('label', {for: id}, text), h('select', {id}, h('option', {value: ''}, 'all'), values(key).map(value => h('option', {value}, value)))];
    const search = h('input', {type: 'search', id: 'instruction-search', placeholder: 'add r64, vfmadd, ymm …'});
    const feature = choose('instruction-feature', 'Extension', 'feature'), state = choose('instruction-state', 'State', 'state');
    const count = h('p', {class: 'quiet', role: 'status'});
    const table = sortableTable([
        {title: 'Form', value: row => row.form, head: true, cell: row => button(row.form, event => toggle(event.target, row), {class: 'link', 'aria-expanded': 'false'})},
        {title: 'Extension', value: row => row.feature},
        {title: 'Latency', value: row => (latencyRange(row) || {most: null}).most, cell: row => (latencyRange(row) || {text: '–'}).text, number: true},
        {title: 'Cycles per instruction', value: row => row.cycles, cell: row => bound(row.relation, row.cycles, 3), number: true},
        {title: 'Instructions per cycle', value: row => row.cycles > 0 ? 1 / row.cycles : null, cell: row => row.cycles > 0 ? `${row.relation === '=' ? '' : '≥ '}${number(1 / row.cycles, 3)}` : '–', number: true},
        {title: 'Units', value: row => row.units || '', cell: row => row.units || '–'},
        {title: 'State', value: row => row.state},
        {title: 'Reason', value: row => row.reason || ''},
        {title: 'Machine code', value: row => row.bytes || '', class: 'code'},
    ], rows, {page: 100, label: 'Instructions', class: 'instructions'});
    function toggle(button_, row) {
        const line = button_.closest('tr'), open = line.nextElementSibling && line.nextElementSibling.classList.contains('open');
        if (open)
            line.nextElementSibling.remove();
        else
            line.after(h('tr', {class: 'open'}, h('td', {colspan: 9}, instructionDetail(row))));
        button_.setAttribute('aria-expanded', String(!open));
    }
    const apply = () => {
        const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        const shown = rows.filter(row => wanted.every(word => row.text.includes(word)) &&
            (!feature[1].value || row.feature === feature[1].value) && (!state[1].value || row.state === state[1].value));
        count.textContent = `${number(shown.length)} of ${number(rows.length)} forms`;
        table.show(shown);
    };
    search.addEventListener('input', apply);
    feature[1].addEventListener('change', apply);
    state[1].addEventListener('change', apply);
    apply();
    return [
        h('div', {class: 'controls'}, h('label', {for: 'instruction-search'}, 'Search'), search, feature, state, h('span', {class: 'gap'}), button('CSV', () => saveCsv(`${coreName(core)}-instructions`, table.csv()))),
        count,
        h('p', {class: 'quiet'}, 'Latency: the shortest and the longest dependency chain through the instruction, each from one of its operands to another. ≤ and ≥ mark bounds. Units have the numbers of the map of units; “some”: on some of these. Click on a form to see its chains, its cycles with other values, and the machine code that ran.'),
        table.element,
    ];
}
