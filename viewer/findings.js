/*
 * Findings by family, as tables: measured, interval, published, grade, reason. Each opens to its experiment and curves.
 */
'use strict';

function differenceCell(finding) {
    const list = finding.published || [];
    if (!list.length)
        return null;
    const scale = scaleOf(finding);
    return list.map(one => {
        const off = difference(finding, one);
        const text = quantity(one.value, finding.unit, {...scale, unit: ''}).trim();
        return h('div', {title: one.source}, off === 0 ? h('b', {class: 'agrees'}, text) : text, off ? h('span', {class: 'off'}, ` ${signed(off, scale)}`) : null);
    });
}

/* Why something is undecided: sentence and advice, from lib/base/reasons.def. A token that it lacks is shown as it is. */
function reasonRow(reason) {
    const row = (known.reasons || {})[reason];
    if (row)
        return row;
    const limit = reason.startsWith('masked-by:') ? reason.slice('masked-by:'.length) : '';
    return limit ? [`${limit} is reached at the same point`, ((known.reasons || {})['masked-by'] || ['', ''])[1]] : [reason, ''];
}
const reasonText = (reason, detail) => reason ? `${reasonRow(reason)[0]}${detail ? `: ${detail}` : ''}` : '';
const reasonAdvice = reason => reason ? reasonRow(reason)[1] : '';

/* Numbers are aligned below each other; text, such as a list of policies, may need several lines. */
const valueClass = finding => typeof finding.value === 'string' ? 'words' : 'number';

function findingDetail(core, finding) {
    const {curves, matrices} = evidenceOf(core, finding);
    const what = findingsKnown.get(finding.name), probe = probesKnown.get(finding.probe);
    const published = (finding.published || []).map(one => h('li', {}, quantity(one.value, finding.unit, scaleOf(finding)), h('span', {class: 'quiet'}, ` ${one.source}`)));
    return h('div', {class: 'detail'},
        what ? h('p', {}, `${what.text[0].toUpperCase()}${what.text.slice(1)}.`) : null,
        facts([
            ['Grade', GRADES[finding.grade]], ['Reason', reasonText(finding.reason, finding.detail)], ['What may decide it', reasonAdvice(finding.reason)],
            ['Value before masking', finding.seen !== undefined && finding.seen !== null ? quantity(finding.seen, finding.unit) : null],
            ['Agreement', finding.agreement], ['Method', finding.method],
            ['Occupied by the experiment itself, and added', finding.holds ? quantity(finding.holds, finding.unit) : null],
            ...remarksOf(finding).map(([key, value]) => [words(key), shownValue(value)]),
            ['Why it differs from published values', finding.difference]]),
        published.length ? h('div', {}, h('h4', {}, 'Published'), h('ul', {}, published)) : null,
        curves.length || matrices.length ? plotGrid(curves, matrices, true, `${finding.name} `) : null,
        experiment(finding.probe, probe));
}

/* The comment that opens the probe's source: what it measures, the experiment, the method. */
function experiment(name, probe) {
    if (!probe || !probe.text)
        return h('p', {class: 'quiet'}, `Probe ${name}.`);
    return h('details', {class: 'experiment'}, h('summary', {}, `The experiment: ${probe.title} (${name})`), h('pre', {}, probe.text));
}

function findingRow(core, finding) {
    const key = findingKey(finding), id = `f-${fileName(key)}`;
    const undecided = finding.grade === 'U';
    const remark = undecided ? reasonText(finding.reason, finding.detail) : finding.agreement || '';
    const name = finding.name.slice(familyOf(finding.name).length + 1);
    const row = h('tr', {id, class: undecided ? 'undecided' : null, 'data-key': key},
        h('th', {scope: 'row'}, button(name, toggle, {class: 'link', 'aria-expanded': 'false', title: (findingsKnown.get(finding.name) || {}).text}),
          h('span', {class: 'variants'}, ` ${variantText(finding)}`)),
        h('td', {class: `${valueClass(finding)} measured`, 'data-value': typeof finding.value === 'object' ? '' : finding.value}, undecided ? '–' : quantity(finding.value, finding.unit, {...scaleOf(finding)})),
        h('td', {class: 'number interval'}, intervalText(finding)),
        h('td', {class: 'number'}, differenceCell(finding)),
        h('td', {class: 'centre'}, gradeChip(finding.grade)),
        h('td', {class: 'remark'}, remark, finding.difference ? h('div', {class: 'why'}, finding.difference) : null));
    function toggle() {
        if (row.detail) {
            row.detail.remove();
            row.detail = null;
        } else {
            row.detail = h('tr', {class: 'open'}, h('td', {colspan: 6}, findingDetail(core, finding)));
            row.after(row.detail);
        }
        row.querySelector('button').setAttribute('aria-expanded', String(row.detail !== null));
    }
    row.detail = null;
    row.toggle = toggle;
    return row;
}

function findingRows(findings) {
    const head = ['name', 'variant', 'core', 'value', 'unit', 'low', 'high', 'grade', 'reason', 'published', 'agreement', 'method', 'probe'];
    return [head, ...findings.map(f => [f.name, variantText(f), f.core, f.value, f.unit, f.low, f.high, f.grade, f.reason,
        (f.published || []).map(one => [].concat(one.value).join(' to ')).join(' or '), f.agreement, f.method, f.probe])];
}

const ROWS = 500; /* shown at first */

function findingsView(core) {
    const filter = h('input', {type: 'search', id: 'finding-filter', placeholder: 'btb, level=2, no-knee …'});
    const grades = h('fieldset', {class: 'inline'}, h('legend', {}, 'Grades'), 'ABCU'.split('').map(grade => h('label', {}, h('input', {type: 'checkbox', value: grade, checked: true}), grade)));
    const families = FAMILIES.map(([family, title]) => {
        const findings = core.findings.filter(f => familyOf(f.name) === family);
        return {family, title, findings};
    });
    const others = core.findings.filter(f => !FAMILIES.some(([family]) => family === familyOf(f.name)));
    if (others.length)
        families.push({family: 'other', title: 'Other', findings: others});
    const sections = families.filter(each => each.findings.length).map(({family, title, findings}) => {
        const rows = findings.map(finding => ({finding, row: null, text: `${findingKey(finding)} ${finding.reason || ''} ${finding.probe}`.toLowerCase()}));
        const body = h('tbody'), more = h('p');
        const section = h('section', {class: 'family', 'aria-labelledby': `family-${family}`}, h('h2', {id: `family-${family}`}, title),
            h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${title}: findings`}, h('table', {class: 'findings'},
                h('thead', {}, h('tr', {}, ['Finding', 'Measured', 'Interval', 'Published', 'Grade', 'Reason or agreement'].map((text, i) => h('th', {scope: 'col', class: i > 0 && i < 4 ? 'number' : i === 4 ? 'centre' : null}, text)))),
                body)), more);
        return {section, rows, body, more};
    });
    const apply = () => {
        const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        const chosen = new Set([...grades.querySelectorAll('input:checked')].map(input => input.value));
        for (const {section, rows, body, more} of sections) {
            const shown = rows.filter(({finding, text}) => wanted.every(word => text.includes(word)) && chosen.has(finding.grade));
            body.replaceChildren();
            more.replaceChildren(portions(body, shown, each => {
                each.row = each.row || findingRow(core, each.finding);
                return each.row.detail ? [each.row, each.row.detail] : [each.row];
            }, ROWS));
            section.hidden = !shown.length;
        }
    };
    apply();
    filter.addEventListener('input', apply);
    grades.addEventListener('change', apply);
    return [
        h('div', {class: 'controls'}, h('label', {for: 'finding-filter'}, 'Search'), filter, grades, h('span', {class: 'gap'}),
          button('CSV', () => saveCsv(`${coreName(core)}-findings`, findingRows(core.findings)))),
        gradeSummary(core),
        h('p', {class: 'quiet'}, 'An interval is [last size that fits, first size that does not]. A published value is bold where the measurement agrees with it; otherwise the difference stands beside it. Published values never influence a measurement. Click on a finding to see its curves and its experiment.'),
        sections.map(each => each.section),
    ];
}
