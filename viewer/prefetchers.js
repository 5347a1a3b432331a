/*
 * What prefetchers fetch as one picture: for each kind that was found, and each level that had the data, the lines that
 * a list of accesses brought, around the last access.
 */
'use strict';

const HOMES = {2: 'the second level', 3: 'the third level', memory: 'memory'};
const FETCHED_ROW = 17, FETCHED_LEFT = 150;

/* The lists of each kind and home that was found: {kind, home, lists}, a list being {label, accessed, brought, unclear}. */
function fetchedLists(core) {
    const labels = {next: 'next line', pair: 'other line of a pair'};
    return core.tables.filter(table => table.name === 'fetched').map(({kind, home, rows}) => ({
        kind: labels[kind] || kind, home,
        lists: rows.map(([list, accessed, brought, unclear]) => ({
            label: list === 'a sequence' ? `${accessed.length} accesses` : list, accessed, brought, unclear}))}));
}

class PrefetcherPicture extends Picture {
    constructor(host, core, width) {
        const groups = fetchedLists(core);
        super(host, width, 'prefetchers', `Lines that prefetchers bring: ${groups.map(g => `${g.kind}, data in ${HOMES[g.home]}`).join('; ')}`);
        this.groups = groups;
        this.groups.forEach(group => this.drawGroup(group));
        this.finish();
    }

    /* A row for each list; from left to right the lines of memory, the last access at 0. */
    drawGroup({kind, home, lists}) {
        const lines = lists.flatMap(list => [...list.accessed, ...list.brought, ...list.unclear]);
        const across = d3.scaleLinear().domain([Math.min(-1, ...lines) - 0.5, Math.max(1, ...lines) + 0.5]).range([FETCHED_LEFT, this.width - 8]);
        const size = Math.max(2, Math.min(12, across(1) - across(0) - 1));
        this.text(4, this.height + 12, `Prefetcher: ${kind}; data in ${HOMES[home]}; lines from the last access on`, 'start', 'axis-title');
        this.height += 20;
        const top = this.height;
        for (const {label, accessed, brought, unclear} of lists) {
            const middle = this.height + FETCHED_ROW / 2;
            this.text(FETCHED_LEFT - 8, middle + 4, label, 'end');
            const square = (line, state) => this.root.append('rect').attr('class', state).attr('x', across(line) - size / 2).attr('y', middle - size / 2)
                .attr('width', size).attr('height', size);
            brought.forEach(line => square(line, 'brought'));
            unclear.forEach(line => square(line, 'unclear'));
            accessed.forEach(line => this.root.append('circle').attr('class', 'accessed').attr('cx', across(line)).attr('cy', middle).attr('r', Math.max(1.5, size / 3)));
            this.height += FETCHED_ROW;
        }
        this.root.append('path').attr('class', 'grid').attr('d', `M${across(0)} ${top}V${this.height}`);
        this.root.append('path').attr('class', 'axis').attr('d', `M${FETCHED_LEFT} ${this.height + 3}H${this.width - 8}`);
        for (const tick of across.ticks(8).filter(Number.isInteger)) {
            this.root.append('path').attr('class', 'axis').attr('d', `M${across(tick)} ${this.height + 3}v4`);
            this.text(across(tick), this.height + 19, number(tick), 'middle');
        }
        this.height += 32;
    }
}

/* The rows that the picture is saved as. */
const fetchedRows = picture => [
    ['kind', 'home', 'list', 'accessed', 'brought', 'unclear'],
    ...picture.groups.flatMap(({kind, home, lists}) => lists.map(list => [kind, home, list.label, ...[list.accessed, list.brought, list.unclear].map(lines => lines.join(' '))]))];

/* The picture as a figure of the overview; null where no prefetcher was found. */
function prefetcherFigure(core) {
    const title = `Lines that prefetchers of ${coreName(core)} bring`;
    if (!fetchedLists(core).length)
        return null;
    return pictureFigure('prefetchers', 'Prefetchers', title,
                         'Points: lines that are accessed, the last one at 0. Filled squares: lines that are brought; open ones: that is not certain',
                         (host, width) => new PrefetcherPicture(host, core, width), fetchedRows);
}
