/*
 * The page of a database of runs (scripts/consensus --page): cores side by side, a finding against another, outliers, runs.
 * Values are those that the runs of a core say together; nothing is loaded from anywhere.
 */
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const cores = Object.keys(data.cores);
const keys = [...new Set(cores.flatMap(core => Object.keys(data.cores[core])))].sort();
const shown = new Set(cores);
const ROWS = 100; // of the table at most: a search narrows them

const element = id => document.getElementById(id);
function h(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
        made.setAttribute(key, value);
    made.append(...children.flat().filter(child => child !== null && child !== undefined));
    return made;
}

/* A number as people write it, with its unit. */
function quantity(value, unit) {
    if (typeof value !== 'number')
        return String(value);
    if (unit === 'bytes') {
        const names = ['B', 'KiB', 'MiB', 'GiB'];
        let i = 0;
        for (; value >= 1024 && i < names.length - 1; i++)
            value /= 1024;
        return `${Number(value.toPrecision(4))} ${names[i]}`;
    }
    if (unit === 'Hz')
        return `${(value / 1e9).toFixed(3)} GHz`;
    return `${Number.isInteger(value) ? value : Number(value.toPrecision(4))} ${unit || ''}`.trim();
}

/* ---- Cores side by side ---------------------------------------------------------------------------------- */

function cell(core, key) {
    const found = data.cores[core][key];
    if (!found)
        return h('td', {});
    if (found.value === null)
        return h('td', {class: 'bad', title: found.why}, 'runs contradict');
    const interval = found.low === null || found.low === undefined ? '' : `between ${found.low} and ${found.high}; `;
    const note = found.outliers.length ? h('span', {class: 'bad'}, ` ${found.outliers.length} outside`) : null;
    return h('td', {title: `${interval}${found.machines} of ${found.of} machines, ${found.runs} runs`}, `${quantity(found.value, found.unit)} `,
             h('span', {class: 'quiet'}, found.grade), note);
}

function sideBySide() {
    const words = element('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const visible = cores.filter(core => shown.has(core));
    const fitting = keys.filter(key => words.every(word => key.toLowerCase().includes(word)) && visible.some(core => data.cores[core][key]));
    element('count').textContent = `${fitting.length} findings${fitting.length > ROWS ? `, the first ${ROWS} shown` : ''}`;
    element('table').replaceChildren(
        h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Finding'), visible.map(core => h('th', {scope: 'col'}, core)))),
        h('tbody', {}, fitting.slice(0, ROWS).map(key => h('tr', {}, h('th', {scope: 'row'}, key), visible.map(core => cell(core, key))))));
}

/* ---- A finding against another ---------------------------------------------------------------------------- */

const WIDTH = 760, HEIGHT = 380, LEFT = 120, RIGHT = 120, TOP = 15, BOTTOM = 40;
function svg(name, attributes, ...children) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value);
    made.append(...children);
    return made;
}

function against() {
    const [x, y] = ['x', 'y'].map(id => element(id).value);
    const number = (core, key) => {
        const found = data.cores[core][key];
        return found && typeof found.value === 'number' ? found.value : null;
    };
    const points = cores.filter(core => shown.has(core)).map(core => ({core, x: number(core, x), y: number(core, y)}))
        .filter(point => point.x !== null && point.y !== null);
    if (!points.length) {
        element('plot').replaceChildren(h('p', {class: 'quiet'}, 'No core has both.'));
        return;
    }
    const scale = (values, from, to) => {
        const low = Math.min(0, ...values), high = Math.max(...values) || 1;
        return {at: value => from + (to - from) * (value - low) / (high - low || 1), ticks: [0, 1, 2, 3, 4].map(i => low + (high - low) * i / 4)};
    };
    const across = scale(points.map(p => p.x), LEFT, WIDTH - RIGHT), up = scale(points.map(p => p.y), HEIGHT - BOTTOM, TOP);
    const unit = key => cores.map(core => data.cores[core][key]).find(Boolean).unit;
    const parts = [
        ...up.ticks.flatMap(tick => [svg('path', {class: 'grid', d: `M${LEFT} ${up.at(tick)}H${WIDTH - RIGHT}`}), svg('text', {x: LEFT - 6, y: up.at(tick) + 4, 'text-anchor': 'end'}, quantity(tick, unit(y)))]),
        ...across.ticks.map(tick => svg('text', {x: across.at(tick), y: HEIGHT - BOTTOM + 16, 'text-anchor': 'middle'}, quantity(tick, unit(x)))),
        svg('text', {x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, 'text-anchor': 'middle'}, x),
        ...points.flatMap(p => [svg('circle', {cx: across.at(p.x), cy: up.at(p.y), r: 4}), svg('text', {x: across.at(p.x) + 7, y: up.at(p.y) + 4}, p.core)])];
    element('plot').replaceChildren(svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: 'img', 'aria-label': `${y} against ${x} of ${points.length} cores`}, ...parts));
}

/* ---- Outliers and runs -------------------------------------------------------------------------------------- */

function outliers() {
    const items = cores.flatMap(core => Object.entries(data.cores[core]).flatMap(([key, found]) => found.value === null
        ? [h('li', {}, h('b', {}, `${core}, ${key}`), `: ${found.why}`)]
        : found.outliers.map(one => h('li', {}, h('b', {}, `${core}, ${key}`), `: ${one.run} says ${quantity(one.value, found.unit)} (${one.grade}), not ${quantity(found.value, found.unit)}`,
            found.explained_by ? `; only these have ${found.explained_by.join(', ')}` : ''))));
    element('outliers').replaceChildren(items.length ? h('ul', {}, items) : h('p', {class: 'quiet'}, 'There are none.'));
}

function runs() {
    const columns = [['core', 'Core'], ['machine', 'Machine'], ['date', 'Date'], ['platform', 'Platform'], ['profile', 'Profile'], ['build', 'Version'], ['microcode', 'Microcode'], ['path', 'File']];
    element('runs').replaceChildren(h('thead', {}, h('tr', {}, columns.map(([, title]) => h('th', {scope: 'col'}, title)))),
                                    h('tbody', {}, data.runs.map(run => h('tr', {}, columns.map(([key]) => h('td', {}, run[key] || ''))))));
}

element('about').textContent = `${data.runs.length} runs of ${cores.length} cores, ${keys.length} findings. Each value is what the runs of a core say together: A, B and C are grades.`;
element('cores').append(...cores.map(core => {
    const box = h('input', {type: 'checkbox', checked: ''});
    box.addEventListener('change', () => {
        shown[box.checked ? 'add' : 'delete'](core);
        sideBySide();
        against();
    });
    return h('label', {}, box, ` ${core}`);
}));
const numbers = keys.filter(key => cores.some(core => data.cores[core][key] && typeof data.cores[core][key].value === 'number'));
for (const [id, wanted] of [['x', 'backend.rob.entries'], ['y', 'frontend.history.branches kind=conditional-taken']]) {
    element(id).append(...numbers.map(key => h('option', {value: key}, key)));
    element(id).value = numbers.includes(wanted) ? wanted : numbers[0];
    element(id).addEventListener('change', against);
}
element('search').addEventListener('input', sideBySide);
sideBySide();
if (numbers.length)
    against();
outliers();
runs();
document.body.dataset.done = 'yes';
