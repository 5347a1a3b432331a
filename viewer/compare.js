/*
 * Two or more cores side by side: what differs first.
 */
'use strict';

const decided = finding => finding !== null && finding.grade !== 'U';

/* Whether two decided findings are the same: their intervals overlap, or rates are within two percent. */
function sameFinding(a, b) {
    if (a.grade === 'P' || b.grade === 'P') {
        const [measured, other] = a.grade === 'P' ? [b, a] : [a, b];
        return measured.grade === 'P' ? a.published.some(one => b.published.some(two => String(one.value) === String(two.value)))
            : other.published.some(one => difference(measured, one) === 0);
    }
    if (typeof a.value !== 'number' || typeof b.value !== 'number')
        return JSON.stringify(a.value) === JSON.stringify(b.value);
    if (a.value === b.value)
        return true;
    const interval = f => typeof f.low === 'number' && typeof f.high === 'number';
    if (interval(a) && interval(b))
        return a.low < b.high && b.low < a.high;
    return (isRate(a.unit) || !interval(a)) && Math.abs(a.value - b.value) <= RATES_AGREE * Math.max(Math.abs(a.value), Math.abs(b.value));
}

const FIRST = {differ: 0, some: 1, same: 2, none: 3};

/* Rows of the comparison, differences first. Columns are the cores, then the published values of the core of that name, if one is given. */
function comparison(cores, published) {
    const keys = new Map();
    cores.forEach((core, i) => {
        for (const finding of core.findings) {
            const key = findingKey(finding);
            if (!keys.has(key))
                keys.set(key, [...cores.map(() => null), ...(published ? [publishedFor(published, finding)] : [])]);
            keys.get(key)[i] = finding; /* of several findings of one name, the last */
        }
    });
    return [...keys].map(([key, findings]) => {
        const those = findings.filter(decided), [base, ...others] = those;
        const state = !those.length ? 'none' : others.some(other => !sameFinding(base, other)) ? 'differ'
            : those.length < findings.length ? 'some' : 'same';
        const ratios = others.map(other => base.value > 0 && other.value > 0 ? other.value / base.value : null);
        const far = Math.max(0, ...ratios.filter(Boolean).map(ratio => Math.abs(Math.log(ratio))));
        const loose = findings.some(finding => finding && finding.grade === 'P' && !finding.exact); /* the published value names fewer variants than the finding */
        return {key, findings, state, ratios, far, loose, verdict: {none: 'not decided', differ: 'differs', same: 'same', some: `decided in ${those.length} of ${findings.length}`}[state]};
    }).sort((a, b) => FIRST[a.state] - FIRST[b.state] || a.loose - b.loose || b.far - a.far || a.key.localeCompare(b.key));
}

const letter = i => 'ABCDEFGH'[i] || String(i + 1);

function compareCell(finding) {
    if (!finding)
        return h('td', {class: 'number quiet'}, 'not measured');
    if (finding.grade === 'P')
        return h('td', {class: 'number', title: finding.published.map(one => one.source).join('; ')}, finding.published.map(one => quantity(one.value, finding.unit)).join(' or '));
    if (finding.grade === 'U')
        return h('td', {class: 'number'}, h('span', {class: 'reason'}, reasonText(finding.reason, finding.detail) || 'undecided'), ' ', gradeChip('U'));
    return h('td', {class: valueClass(finding)}, quantity(finding.value, finding.unit), ' ', gradeChip(finding.grade), h('div', {class: 'quiet'}, intervalText(finding)));
}

function comparePlots(cores, findings) {
    const curves = cores.flatMap((core, i) => findings[i] ? evidenceOf(core, findings[i]).curves.map(curve => ({...curve, name: `${letter(i)}: ${curve.name}`})) : []);
    return curves.length ? plotGrid(curves, [], true, 'comparison ') : h('p', {class: 'quiet'}, 'No curves belong to it.');
}

function compareView(cores, published) {
    const rows = comparison(cores, published);
    const titles = [...cores.map(coreTitle), ...(published ? [`${published}, as published`] : [])];
    const short = [...cores.map(coreName), ...(published ? [`${published}, published`] : [])];
    const counts = {differ: 0, some: 0, same: 0, none: 0};
    rows.forEach(row => counts[row.state]++);
    const only = h('input', {type: 'checkbox', id: 'only-differences'});
    const body = h('tbody');
    const more = h('p');
    const comparedRow = row => {
        const line = h('tr', {class: row.state, 'data-key': row.key},
            h('th', {scope: 'row'}, button(row.key.split(' ')[0], () => {
                const open = line.nextElementSibling && line.nextElementSibling.classList.contains('open');
                if (open)
                    line.nextElementSibling.remove();
                else
                    line.after(h('tr', {class: 'open'}, h('td', {colspan: titles.length + 3}, comparePlots(cores, row.findings))));
                line.querySelector('button').setAttribute('aria-expanded', String(!open));
            }, {class: 'link', 'aria-expanded': 'false'}), h('span', {class: 'variants'}, ` ${row.key.split(' ').slice(1).join(' ')}`)),
            row.findings.map(compareCell),
            h('td', {class: 'number'}, row.ratios.map(ratio => ratio === null ? '' : row.state === 'same' ? '' : `× ${number(ratio, 3)}`).filter(Boolean).join(', ')),
            h('td', {}, row.verdict));
        return line;
    };
    const draw = () => {
        body.replaceChildren();
        more.replaceChildren(portions(body, rows.filter(row => !only.checked || row.state === 'differ'), comparedRow, ROWS));
    };
    only.addEventListener('change', draw);
    draw();
    return [
        h('div', {class: 'controls'}, h('label', {}, only, ' Only findings that differ'), h('span', {class: 'gap'}), button('CSV', () => saveCsv('comparison',
            [['name', ...titles.flatMap((title, i) => [`${letter(i)} ${title}`, 'grade']), 'verdict'],
             ...rows.map(row => [row.key, ...row.findings.flatMap(f => f ? [f.value, f.grade] : [null, null]), row.verdict])]))),
        h('ol', {class: 'compared'}, titles.map(title => h('li', {}, title))),
        h('p', {class: 'grades'}, `${counts.differ} findings differ, ${counts.some} are decided in some columns only, ${counts.same} are the same (their intervals overlap, or rates are within 2 %), ${counts.none} are decided nowhere. Ratios are to the first column with a decided value.`),
        h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Comparison'}, h('table', {class: 'findings comparison'},
            h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Finding'), short.map((name, i) => h('th', {scope: 'col', class: 'number', title: titles[i]}, `${letter(i)} ${name}`)), h('th', {scope: 'col', class: 'number'}, 'Ratio'), h('th', {scope: 'col'}, 'Verdict'))), body)),
        more,
    ];
}
