/*
 * Elements of the page, tables, and files to save. Whatever comes out of a run file is set as text, never as HTML.
 */
'use strict';

/* h('td', {class: 'number'}, 'text', element, …); null children are left out. */
function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false)
            continue;
        if (key.startsWith('on'))
            element.addEventListener(key.slice(2), value);
        else
            element.setAttribute(key, value === true ? '' : value);
    }
    element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== ''));
    return element;
}

const button = (text, onclick, attributes) => h('button', {type: 'button', onclick, ...attributes}, text);

function save(name, type, content) {
    const blob = content instanceof Blob ? content : new Blob([content], {type});
    const link = h('a', {href: URL.createObjectURL(blob), download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const fileName = text => text.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '') || 'fathom';

const saveCsv = (name, rows) => save(`${fileName(name)}.csv`, 'text/csv', csv(rows));

/* What a grade means, for its tooltip. */
const GRADES = {
    A: 'A: at least two experiments, which different effects could mislead, agree within one step',
    B: 'B: two experiments agree within 2 %, or one experiment does in two layouts',
    C: 'C: one experiment',
    U: 'U: undecided',
};
const gradeChip = grade => h('span', {class: `grade grade-${grade}`, title: GRADES[grade]}, grade || '?');

/* Plots that are drawn when they come into view, since there may be thousands: element -> function that draws it. */
const drawLater = new Map();
const watcher = new IntersectionObserver(entries => {
    for (const entry of entries)
        if (entry.isIntersecting)
            drawNow(entry.target);
}, {rootMargin: '300px'});

function drawNow(element) {
    const draw = drawLater.get(element);
    drawLater.delete(element);
    watcher.unobserve(element);
    if (draw)
        draw(element);
}

function lazily(element, draw) {
    drawLater.set(element, draw);
    watcher.observe(element);
    return element;
}

function forgetDrawings() {
    for (const element of drawLater.keys())
        watcher.unobserve(element);
    drawLater.clear();
}

/* Draws what has not come into view yet, at most this many plots: for printing. */
function drawAll(most) {
    for (const element of [...drawLater.keys()].slice(0, most))
        drawNow(element);
}

/* The tooltip. */
const tip = document.getElementById('tip');

function showTip(lines, x, y) {
    tip.replaceChildren(...lines.map(line => h('div', {class: line.class}, line.colour ? h('i', {class: `swatch series-${line.colour}`}) : null, line.text)));
    (document.querySelector('dialog[open]') || document.body).append(tip); /* an open dialog covers everything outside of it */
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = x + 14 + box.width > innerWidth ? x - 14 - box.width : x + 14;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - box.height - 4))}px`;
}

const hideTip = () => { tip.hidden = true; };

/*
 * Appends what make(item) returns for the first `size` items, and returns a button that appends as many more. There may be
 * thousands of items, and a page with all of them at once would be slow.
 */
function portions(host, items, make, size) {
    let at = 0;
    const more = button('', add);
    function add() {
        host.append(...items.slice(at, at + size).flatMap(make));
        at = Math.min(items.length, at + size);
        more.hidden = at === items.length;
        more.textContent = `Show ${number(Math.min(size, items.length - at))} more of ${number(items.length - at)}`;
    }
    add();
    return more;
}

/*
 * A table whose columns sort. columns: {title, value(row), cell(row), number, head, class}; value is for sorting and for
 * CSV, cell is what is shown.
 */
function sortableTable(columns, rows, options = {}) {
    let order = null, up = true, page = 0;
    const size = options.page || Infinity;
    const body = h('tbody');
    const pager = h('p', {class: 'pager'});
    const heads = columns.map((column, i) => h('th', {scope: 'col', class: column.number ? 'number' : null},
        button(column.title, () => {
            up = order === i ? !up : true;
            order = i;
            page = 0;
            draw();
        }, {class: 'sort'})));
    const table = h('table', {class: options.class}, options.caption ? h('caption', {}, options.caption) : null,
                    h('thead', {}, h('tr', {}, heads)), body);

    function sorted() {
        if (order === null)
            return rows;
        const value = columns[order].value;
        const sign = up ? 1 : -1;
        const missing = each => each === null || each === undefined || each === '';
        return [...rows].sort((a, b) => {
            const x = value(a), y = value(b);
            if (missing(x) || missing(y)) /* missing values stand last in either order */
                return missing(x) - missing(y);
            return sign * (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', {numeric: true}));
        });
    }

    function draw() {
        heads.forEach((head, i) => head.setAttribute('aria-sort', order !== i ? 'none' : up ? 'ascending' : 'descending'));
        const all = sorted(), pages = Math.max(1, Math.ceil(all.length / size));
        page = Math.min(page, pages - 1);
        const shown = size === Infinity ? all : all.slice(page * size, (page + 1) * size);
        body.replaceChildren(...shown.map(row => h('tr', {}, columns.map(column => {
            const content = column.cell ? column.cell(row) : shownValue(column.value(row));
            return h(column.head ? 'th' : 'td', {class: column.number ? 'number' : column.class, scope: column.head ? 'row' : null}, content);
        }))));
        if (pages > 1)
            pager.replaceChildren(
                button('Previous', () => { page--; draw(); }, {disabled: page === 0}),
                h('span', {}, `${number(page * size + 1)} to ${number(page * size + shown.length)} of ${number(all.length)}`),
                button('Next', () => { page++; draw(); }, {disabled: page === pages - 1}));
        else
            pager.replaceChildren();
    }
    draw();
    return {
        element: h('div', {}, h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': options.label || options.caption || 'Table'}, table), pager),
        show(next) {
            rows = next;
            page = 0;
            draw();
        },
        csv: () => [columns.map(column => column.title), ...sorted().map(row => columns.map(column => column.value(row)))],
    };
}

/* Any value of a record as text. */
function shownValue(value) {
    if (typeof value === 'number')
        return number(value);
    if (value === null || value === undefined)
        return '–';
    if (typeof value === 'boolean')
        return value ? 'yes' : 'no';
    if (Array.isArray(value))
        return value.map(shownValue).join(', ');
    if (typeof value === 'object')
        return Object.entries(value).map(([key, each]) => `${key} ${key === 'bytes' ? bytesText(each) : shownValue(each)}`).join(', ');
    return String(value);
}
