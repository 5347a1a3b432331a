/*
 * Who shares what: for each structure, what fits it while the other thread of the core sleeps, waits, or fills it, as a
 * part of what fits while that thread sleeps.
 */
'use strict';

const SHARING_STATES = [['asleep', 'sleeps'], ['waiting', 'waits'], ['filling', 'fills it']];
const SHARING_NAMES = {dtlb: 'Data TLB', l1d: 'First data cache', rob: 'Reorder buffer', load_queue: 'Load queue', store_queue: 'Store queue'};
const SHARING_ROW = 15, SHARING_LEFT = 190;

/* The structures of which something is known: {structure, unit, sharing, states}, a state being {label, value, low, high}. */
function sharedStructures(core) {
    return core.tables.filter(table => table.name === 'smt').flatMap(({rows}) => rows.map(([structure, unit, sharing, ...cells]) => ({
        structure, unit, sharing,
        states: SHARING_STATES.map(([key, label], i) => ({key, label, value: cells[3 * i], low: cells[3 * i + 1], high: cells[3 * i + 2]}))}))
        .filter(({states}) => states.every(({value}) => typeof value === 'number') && states[0].value > 0));
}

class SharingPicture extends Picture {
    constructor(host, core, width) {
        const structures = sharedStructures(core);
        super(host, width, 'sharing', structures.map(({structure, sharing}) => `${SHARING_NAMES[structure]}: ${sharing || 'undecided'}`).join('; '));
        this.structures = structures;
        const most = Math.max(...structures.flatMap(({states}) => states.map(({value, high}) => Math.max(value, high) / states[0].value)));
        this.across = d3.scaleLinear().domain([0, Math.max(1, most)]).range([SHARING_LEFT, width - 60]);
        structures.forEach(each => this.drawStructure(each));
        this.drawAxis();
        this.finish();
    }

    /* A bar for each state, with the interval of its median. */
    drawStructure({structure, unit, sharing, states}) {
        this.text(4, this.height + 12, `${SHARING_NAMES[structure]}: ${sharing || 'undecided'}`, 'start', 'axis-title');
        this.height += 18;
        const all = states[0].value;
        for (const {key, label, value, low, high} of states) {
            const middle = this.height + SHARING_ROW / 2;
            this.text(SHARING_LEFT - 8, middle + 4, `the other one ${label}`, 'end');
            this.root.append('rect').attr('class', key).attr('x', SHARING_LEFT).attr('y', middle - 5).attr('height', 10)
                .attr('width', this.across(value / all) - SHARING_LEFT);
            if (typeof low === 'number' && typeof high === 'number')
                this.root.append('path').attr('class', 'axis').attr('d', `M${this.across(low / all)} ${middle}H${this.across(high / all)}`);
            this.text(this.across(Math.max(value, high || 0) / all) + 6, middle + 4, unit === 'bytes' ? bytesText(value) : `${number(value)} ${unit}`);
            this.height += SHARING_ROW;
        }
        this.height += 8;
    }

    drawAxis() {
        this.root.append('path').attr('class', 'grid').attr('d', `M${this.across(0.5)} 8V${this.height}M${this.across(1)} 8V${this.height}`);
        this.root.append('path').attr('class', 'axis').attr('d', `M${SHARING_LEFT} ${this.height + 3}H${this.across.range()[1]}`);
        for (const [part, words] of [[0, '0'], [0.5, 'half'], [1, 'all']])
            this.text(this.across(part), this.height + 19, words, 'middle');
        this.height += 30;
    }
}

/* The rows that the picture is saved as. */
const sharingRows = picture => [
    ['structure', 'unit', 'sharing', ...SHARING_STATES.flatMap(([key]) => [key, `${key}_low`, `${key}_high`])],
    ...picture.structures.map(({structure, unit, sharing, states}) => [structure, unit, sharing, ...states.flatMap(({value, low, high}) => [value, low, high])])];

/* The picture as a figure of the overview; null where nothing was measured beside a sibling. */
function sharingFigure(core) {
    if (!sharedStructures(core).length)
        return null;
    return pictureFigure('sharing', 'Who shares what', `What threads of ${coreName(core)} share`,
                         'What fits while the other thread of the core sleeps, waits, or fills the structure',
                         (host, width) => new SharingPicture(host, core, width), sharingRows);
}
