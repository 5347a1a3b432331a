/*
 * The page itself: opening files, choosing a core, showing a view.
 */
'use strict';

const cores = [];          /* of all runs that were opened, in the order of opening */
const supports = [];       /* support files that were opened */
let shownCore = null;
let shownView = null;
const compared = new Set(); /* the cores that the comparison shows */
let publishedShown = '';    /* and the core whose published values stand beside them */

const element = id => document.getElementById(id);

/* ---- Views --------------------------------------------------------------------------------------------------------------- */

const VIEWS = [
    {id: 'overview', title: 'Overview', build: () => overview(shownCore)},
    {id: 'findings', title: 'Findings', build: () => findingsView(shownCore)},
    {id: 'measurements', title: 'Measurements', build: () => measurementsView(shownCore)},
    {id: 'instructions', title: 'Instructions', build: () => instructionsView(shownCore), where: () => instructionsOf(shownCore).length > 0},
    {id: 'compare', title: 'Compare', build: () => compareChoice()},
    {id: 'support', title: 'Support file', build: () => supportView(supports), alone: true, where: () => supports.length > 0},
];

/* Those that have something to show; all but one show a core. */
const possibleViews = () => VIEWS.filter(each => (each.alone || shownCore) && (!each.where || each.where()));

function wantedView() {
    const [id, detail] = location.hash.slice(1).split('/');
    const possible = possibleViews();
    const view = possible.find(each => each.id === id) || possible[0];
    return {view, detail: detail && decodeURIComponent(detail)};
}

function show() {
    const {view, detail} = wantedView();
    if (!view)
        return;
    forgetDrawings();
    hideTip();
    element('content').replaceChildren(h('div', {class: `view ${view.id}`}, view.build()));
    element('views').replaceChildren(...possibleViews().map(each =>
        h('a', {href: `#${each.id}`, 'aria-current': each === view ? 'page' : null}, each.title)));
    if (view !== shownView)
        scrollTo(0, 0);
    shownView = view;
    document.title = `${shownCore ? `${coreName(shownCore)}: ` : ''}${view.title.toLowerCase()} · fathom`;
    const row = detail && [...document.querySelectorAll('tr[data-key]')].find(each => each.dataset.key === detail);
    if (row) {
        row.toggle();
        row.scrollIntoView({block: 'start'});
        row.querySelector('button').focus({preventScroll: true});
    }
}

function compareChoice() {
    const chosen = cores.filter(core => compared.has(core));
    const boxes = h('fieldset', {class: 'cores'}, h('legend', {}, 'Cores to compare'), cores.map(core => h('label', {},
        h('input', {type: 'checkbox', checked: compared.has(core), onchange: event => {
            if (event.target.checked)
                compared.add(core);
            else
                compared.delete(core);
            show();
        }}), ` ${coreTitle(core)}`)));
    const select = h('select', {id: 'published', onchange: event => {
        publishedShown = event.target.value;
        show();
    }}, h('option', {value: ''}, 'none'), publishedCores.map(name => h('option', {value: name, selected: name === publishedShown}, name)));
    return [boxes, h('div', {class: 'controls'}, h('label', {for: 'published'}, 'Compare with published values of'), select),
            chosen.length + (publishedShown !== '') > 1 && chosen.length ? compareView(chosen, publishedShown) : h('p', {}, 'Choose two or more cores, or one core and a published one.')];
}

function listCores() {
    element('subject').replaceChildren(...cores.map((core, i) => h('option', {value: i, selected: core === shownCore}, coreTitle(core))));
    element('choice').hidden = !cores.length;
    element('views').hidden = !cores.length && !supports.length;
    element('start').hidden = !element('views').hidden;
}

/* ---- Files --------------------------------------------------------------------------------------------------------------- */

const message = (kind, strong, text) => element('messages').append(h('p', {class: `notice ${kind}`}, h('b', {}, strong), ` ${text}`));

const size = bytes => bytes < 1e6 ? `${number(bytes / 1e3, 3)} kB` : `${number(bytes / 1e6, 3)} MB`;

/* Messages about what is wrong with a file. Its good records are shown all the same. */
function reportTroubles(name, reader, {all: runs, supports: files}) {
    const heads = [...runs.map(run => run.run), ...files.map(file => file.head)];
    if (!reader.good) {
        if (reader.damaged.length)
            message('bad', `${name} has no good record.`, `${reader.damaged.length} lines begin like records of fathom, but their checksums are wrong.`);
        else
            message('bad', `${name} is not a run of fathom.`, reader.size ? 'It contains no record: a line of JSON that begins with {"t": and ends with a checksum. Results are in the folder RESULTS on the stick.' : 'It is empty.');
        return;
    }
    const damaged = reader.damaged.length - reader.cutShort;
    if (damaged)
        message('warn', `${name} is damaged in ${damaged} ${damaged === 1 ? 'place' : 'places'}`, `(line ${reader.damaged.slice(0, 5).join(', ')}${reader.damaged.length > 5 ? ' …' : ''}): checksums are wrong there, or parts are missing. These records are left out; the other ${number(reader.good)} are shown.`);
    if (reader.cutShort)
        message('warn', `${name} is cut short:`, `its last line (${reader.lines}) has no end. The ${number(reader.good)} records before it are shown.`);
    for (const run of runs)
        if (!run.done && !reader.cutShort)
            message('warn', `${name}: a run did not come to its end.`, 'It has no "done" record: the machine hung, lost power or was stopped. Everything that was recorded is shown.');
    if (heads.some(head => head.schema > 1))
        message('warn', `${name} was written by a newer version of fathom.`, 'Records that this page does not know are left out.');
}

async function openBlob(name, blob) {
    const bar = element('progress-bar'), began = performance.now();
    element('progress').hidden = false;
    element('progress-text').textContent = `Reading ${name}`;
    bar.value = 0;
    const all = new Runs(name);
    let reader;
    try {
        reader = await readRecords(blob, record => all.add(record), (bytes, records) => {
            bar.value = bytes / blob.size;
            element('progress-text').textContent = `Reading ${name}: ${size(bytes)} of ${size(blob.size)}, ${number(records)} records`;
        });
    } catch (error) {
        message('bad', `${name} cannot be read:`, error.message);
        return;
    } finally {
        element('progress').hidden = true;
    }
    const runs = all.finish();
    reportTroubles(name, reader, all);
    supports.push(...all.supports);
    const found = runs.flatMap(run => [...run.cores.values()]);
    if (runs.length && !found.length)
        message('warn', `${name} has no results:`, 'the run ended before a core was measured.');
    cores.push(...found);
    found.slice(0, 8).forEach(core => compared.add(core));
    shownCore = found.find(core => core.findings.length) && !shownCore ? found.find(core => core.findings.length) : shownCore || found[0] || null;
    element('main').dataset.read = JSON.stringify({name, records: reader.good, milliseconds: Math.round(performance.now() - began), longest: Math.round(reader.longestTurn)});
}

/* Files are opened one after the other, so that the page stays responsive and their order is kept. */
let opening = Promise.resolve();
function openFiles(files) {
    opening = opening.then(async () => {
        for (const file of files)
            await openBlob(file.name, file);
        listCores();
        show();
    });
    return opening;
}

/* The files that were dropped, and all files of dropped folders. */
async function droppedFiles(transfer) {
    const entries = [...transfer.items].map(item => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
    if (!entries.length)
        return [...transfer.files];
    const files = [];
    const walk = async entry => {
        if (entry.isFile) {
            files.push(await new Promise((good, bad) => entry.file(good, bad)));
            return;
        }
        const reader = entry.createReader();
        for (let more = true; more;) { /* readEntries gives a hundred at a time */
            const some = await new Promise((good, bad) => reader.readEntries(good, bad));
            some.sort((a, b) => a.name.localeCompare(b.name));
            for (const each of some)
                await walk(each);
            more = some.length > 0;
        }
    };
    for (const entry of entries)
        await walk(entry);
    return files;
}

/* Opens the runs that scripts/report has put into the page, gzip as base 64. */
async function openInside() {
    for (const script of document.querySelectorAll('script[data-run]')) {
        const name = script.dataset.run;
        if (!window.DecompressionStream) {
            message('bad', `${name} cannot be unpacked:`, 'this browser is too old (it lacks DecompressionStream, which came in 2023).');
            continue;
        }
        const packed = bytesOf(atob(script.textContent.trim()));
        const blob = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).blob();
        blob.name = name;
        await openFiles([new File([blob], name)]);
    }
}

/* ---- Theme --------------------------------------------------------------------------------------------------------------- */

const THEMES = ['system', 'light', 'dark'];
let theme = 0;

function setTheme(index) {
    theme = index;
    if (theme)
        document.documentElement.dataset.theme = THEMES[theme];
    else
        delete document.documentElement.dataset.theme;
    element('theme').textContent = `Theme: ${THEMES[theme]}`;
}

/* ---- Wiring -------------------------------------------------------------------------------------------------------------- */

const MOST_PRINTED = 400; /* plots */

element('open').addEventListener('click', () => element('files').click());
element('choose').addEventListener('click', () => element('files').click());
element('files').addEventListener('change', async event => {
    const files = [...event.target.files];
    event.target.value = ''; /* the same file may be opened again */
    await openFiles(files);
});
addEventListener('dragover', event => {
    event.preventDefault();
    document.body.classList.add('dropping');
});
addEventListener('dragleave', event => {
    if (!event.relatedTarget)
        document.body.classList.remove('dropping');
});
addEventListener('drop', async event => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    await openFiles(await droppedFiles(event.dataTransfer));
});
element('subject').addEventListener('change', event => {
    shownCore = cores[Number(event.target.value)];
    show();
});
addEventListener('hashchange', show);
element('theme').addEventListener('click', () => setTheme((theme + 1) % THEMES.length));
element('large-close').addEventListener('click', () => large.close());
large.addEventListener('close', hideTip);
/* Printing the overview prints all findings, too; printing another view prints that view. */
addEventListener('beforeprint', () => {
    const {view} = wantedView();
    if (!view)
        return;
    if (view.id === 'overview')
        element('content').append(h('div', {class: 'view findings for-print'}, findingsView(shownCore)));
    drawAll(MOST_PRINTED);
});
addEventListener('afterprint', () => document.querySelectorAll('.for-print').forEach(each => each.remove()));
openInside();
