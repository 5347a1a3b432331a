/*
 * The overview: what was measured and where, why readings were rejected, and the core as a block diagram of its findings.
 */
'use strict';

/* ---- The block diagram ----------------------------------------------------------------------------------------------- */

/*
 * diagram.json: rows of blocks from the front end down to memory. A line of a block is a label, the name of a finding, the variants that
 * it must have, and the name of a finding to show beside it. Of several findings that fit, the first of the best grade is shown.
 */
const DIAGRAM = known.diagram || [];

function findFinding(core, name, variants = {}) {
    const fitting = (core.byName.get(name) || []).filter(f => Object.entries(variants).every(([key, value]) => String(f[key]) === String(value)));
    return d3.least(fitting, f => 'ABCU'.indexOf(f.grade));
}

function publishedNote(finding) {
    if (!finding.published || !finding.published.length)
        return null;
    const scale = scaleOf(finding);
    return h('dd', {class: 'published'}, 'published ', finding.published.map((one, i) => {
        const off = difference(finding, one);
        const text = quantity(one.value, finding.unit, {...scale, unit: ''}).trim();
        return [i ? ' or ' : '', off === 0 ? h('b', {title: `The measurement agrees with this published value: ${one.source}`}, text) : h('span', {title: one.source}, off === null ? text : `${text}: ${signed(off, scale)}`)];
    }));
}

/* Units that a block shows: "bytes/cycle" explains a number; "entries" after the label "Return stack" does not. */
const showsUnit = unit => /cycle|ns|bytes|Hz|bits/.test(unit || '');
const shownInBlock = finding => {
    const scale = scaleOf(finding);
    const unit = showsUnit(finding.unit) ? scale.unit.replace(/^(operations|instructions)\/cycle$/, 'per cycle').replace('/cycle', ' per cycle') : '';
    return quantity(finding.value, finding.unit, {...scale, unit});
};

/* A block has room for few words; the table of findings has the whole reason. */
const shortReason = reason => (reason || 'undecided').replace(/^masked-by:\w+\.(\S+).*$/, 'masked by $1').replace(/^masked-by:/, 'masked by ');

function blockLine(core, [label, name, variants, also]) {
    const finding = findFinding(core, name, variants);
    if (!finding)
        return null;
    const more = also && findFinding(core, also, variants);
    return h('div', {class: 'line'},
        h('dt', {}, label),
        h('dd', {},
            finding.grade === 'U' ? h('span', {class: 'reason', title: reasonText(finding.reason, finding.detail)}, shortReason(finding.reason)) : h('a', {href: `#findings/${encodeURIComponent(findingKey(finding))}`, class: 'value'}, shownInBlock(finding)),
            more && more.grade !== 'U' ? h('span', {class: 'quiet'}, `${quantity(more.value, more.unit)}${/miss/.test(also) ? ' per miss' : ''}`) : null,
            gradeChip(finding.grade)),
        publishedNote(finding));
}

function block(core, {title, lines}) {
    const shown = lines.map(line => blockLine(core, line)).filter(Boolean);
    return h('section', {class: shown.length ? 'block' : 'block empty', 'aria-label': title}, h('h4', {}, title),
             shown.length ? h('dl', {}, shown) : h('p', {class: 'quiet'}, 'not measured'));
}

function diagram(core) {
    return h('div', {class: 'diagram'}, DIAGRAM.map(({family, rows}) =>
        h('section', {class: `stage ${family}`, 'aria-label': FAMILIES.find(([key]) => key === family)[1]},
          h('h3', {}, FAMILIES.find(([key]) => key === family)[1]),
          rows.map(blocks => h('div', {class: 'row'}, blocks.map(each => block(core, each)))))));
}

/* ---- The machine and its environment ---------------------------------------------------------------------------------------- */

const facts = rows => h('dl', {class: 'facts'}, rows.filter(([, value]) => value !== null && value !== undefined && value !== '').map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));

const words = key => key.replace(/_/g, ' ').replace(/^./, first => first.toUpperCase());

/* The fields of a record that are not in `taken`: scalars as rows, objects as tables that open. */
function remaining(record, taken) {
    const rows = [], details = [];
    for (const [key, value] of Object.entries(record)) {
        if (taken.has(key))
            continue;
        if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
            const entries = Object.entries(value);
            if (entries.length)
                details.push(h('details', {}, h('summary', {}, `${words(key)} (${entries.length})`), h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words(key)},
                    h('table', {class: 'plain'}, h('tbody', {}, entries.map(([name, each]) => h('tr', {}, h('th', {scope: 'row'}, name), h('td', {}, shownValue(each)))))))));
        } else if (value !== '') {
            rows.push([words(key), shownValue(value)]);
        }
    }
    return {rows, details};
}

const CAUSES = {
    reference: 'the core clock changed while they were taken', interrupted: 'an interrupt came', shared: 'a sibling thread was awake on the core',
    stolen: 'another process or virtual machine had the core', smi: 'a system management interrupt (SMI) came', throttled: 'heat slowed the core down',
};

/* The findings of the probe `noise` that describe the platform in one number each. */
const NOISE = /^system\.noise\.(silent|lost)_percent$/;

function disturbed(core) {
    const found = disturbances(core), noise = core.findings.filter(f => NOISE.test(f.name) && f.grade !== 'U');
    if (!found.readings)
        return h('p', {class: 'quiet'}, 'No probe has ended, so nothing is known about disturbances.');
    const list = found.by.map(([cause, count]) => h('li', {}, h('b', {}, `${number(100 * count / found.readings, 2)} %`), ` because ${CAUSES[cause] || cause}`));
    return [
        h('p', {}, `${number(found.readings)} readings were taken, of which ${number(found.rejected)} were rejected`, list.length ? ':' : '.'),
        list.length ? h('ul', {class: 'causes'}, list) : null,
        noise.length ? h('ul', {class: 'causes'}, noise.slice(0, 4).map(f => h('li', {}, h('b', {}, quantity(f.value, f.unit === 'percent' ? '%' : f.unit)), ` ${(findingsKnown.get(f.name) || {text: f.name}).text}`, h('span', {class: 'quiet'}, ` ${variantText(f)}`)))) : null,
    ];
}

function outcome(run) {
    const {done, last} = run;
    if (!done) {
        const probe = last && last.probe ? ` Its last record is of the probe ${last.probe}.` : '';
        return h('p', {class: 'notice bad'}, h('b', {}, 'This run did not come to its end.'), ` It has no "done" record: the machine hung, lost power or was stopped, or the file was cut.${probe} Everything that was recorded is shown.`);
    }
    if (done.trusted === false)
        return h('p', {class: 'notice warn'}, h('b', {}, 'The clock of this platform cannot be trusted'), `: ${done.untrusted_cause || 'no cause is recorded'}. Every finding is therefore undecided (grade U). The curves show that the probes work, not how the core is built.`);
    return null;
}

function gradeSummary(core) {
    const counts = new Map('ABCU'.split('').map(grade => [grade, core.findings.filter(f => f.grade === grade).length]));
    return h('p', {class: 'grades'}, `${number(core.findings.length)} findings: `, [...counts].map(([grade, count]) => h('span', {}, gradeChip(grade), ` ${count} `)),
             h('span', {class: 'quiet'}, ' A and B: several experiments agree; C: one experiment; U: undecided, with the reason.'));
}

function overview(core) {
    const {machine, environment, run} = core, head = run.run;
    const taken = new Set('t core type core_name core_model hypervisor emulator tick_hz tick_source c'.split(' '));
    const about = [
        ['Processor', machine.core_model || coreName(core)], ['Core design', machine.core_name], ['Core', `${core.index}${machine.type ? `, type ${machine.type}` : ''}`],
        ['Instruction set', head.isa], ['Run as', {uefi: 'UEFI image', linux: 'Linux program'}[head.platform] || head.platform],
        ['Runs under', machine.emulator ? 'an emulator' : machine.hypervisor || null], ['Memory', environment.memory_bytes ? bytesText(environment.memory_bytes) : null],
        ['Time stamp', machine.tick_hz ? `${number(machine.tick_hz / 1e6, 6)} MHz, ${machine.tick_source || ''}` : null],
        ['Date', head.date], ['Profile', head.profile], ['Probes', head.probes], ['Notes', head.notes], ['File', run.file],
        ['Duration', run.done ? `${number(run.done.seconds, 3)} s` : null]];
    const machineMore = remaining(machine, taken), placeMore = remaining(environment, new Set(['t', 'core', 'type', 'c', 'memory_bytes', 'page_bytes', 'cycles_from', 'clock']));
    const clock = environment.clock ? Object.entries(environment.clock).map(([key, value]) => `${words(key)} ${typeof value === 'number' && /hz$/.test(key) ? quantity(value, 'Hz') : shownValue(value)}`).join(', ') : null;
    return [
        outcome(run),
        h('div', {class: 'cards'},
            h('section', {class: 'card', 'aria-labelledby': 'machine-title'}, h('h2', {id: 'machine-title'}, coreName(core)), facts(about),
              machineMore.rows.length ? facts(machineMore.rows) : null, machineMore.details),
            h('section', {class: 'card', 'aria-labelledby': 'place-title'}, h('h2', {id: 'place-title'}, 'Environment'),
              facts([['Page sizes', (environment.page_bytes || []).map(bytesText).join(', ')], ['Source of cycles', environment.cycles_from], ['Clock', clock], ...placeMore.rows]), placeMore.details,
              core.restored ? h('details', {}, h('summary', {}, 'Settings restored at the end'), h('pre', {}, JSON.stringify(core.restored, null, 1))) : null,
              h('h3', {}, 'Rejected readings'), disturbed(core))),
        h('h2', {}, 'The core'),
        gradeSummary(core),
        diagram(core),
        predictorFigure(core),
        prefetcherFigure(core),
        sharingFigure(core),
        runLog(core),
    ];
}

/* ---- What ran ---------------------------------------------------------------------------------------------------------- */

function runLog(core) {
    const {run} = core;
    const ended = new Set(core.ends.map(end => end.probe));
    const rows = [...core.ends, ...core.starts.filter(start => !ended.has(start.probe)).map(start => ({probe: start.probe, outcome: 'no end', reason: 'the run stopped here'}))];
    if (!rows.length && !run.warnings.length)
        return null;
    const table = sortableTable([
        {title: 'Probe', value: row => row.probe, cell: row => h('span', {title: row.probe}, probeTitle(row.probe)), head: true},
        {title: 'Outcome', value: row => row.outcome, cell: row => h('span', {class: row.outcome === 'ok' ? null : row.outcome === 'skipped' ? 'quiet' : 'bad-text'}, row.outcome)},
        {title: 'Reason', value: row => row.reason || ''},
        {title: 'Seconds', value: row => row.seconds, number: true},
        {title: 'Time in kernels', value: row => row.kernel_share, cell: row => row.kernel_share === undefined ? '–' : `${Math.round(100 * row.kernel_share)} %`, number: true},
        {title: 'Points', value: row => row.points, number: true},
        {title: 'Readings', value: row => row.readings, number: true},
        {title: 'Rejected', value: row => row.rejected, number: true},
    ], rows, {label: 'Probes that ran'});
    return h('section', {class: 'log'}, h('h2', {}, 'Probes of this run'),
        core.faults.map(fault => h('p', {class: 'notice bad'}, h('b', {}, `Fault in ${fault.probe}: `), Object.entries(fault).filter(([key]) => !['t', 'probe', 'core', 'c'].includes(key)).map(([key, value]) => `${words(key)} ${shownValue(value)}`).join(', '))),
        run.warnings.length ? h('details', {}, h('summary', {}, `${run.warnings.length} warnings`), h('ul', {}, run.warnings.map(warning => h('li', {}, h('b', {}, warning.subject), ` ${warning.text}`)))) : null,
        h('details', {open: rows.some(row => row.outcome !== 'ok' && row.outcome !== 'skipped')}, h('summary', {}, `${rows.length} probes`), table.element));
}
