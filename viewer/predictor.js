/*
 * What is known of branch prediction as one picture: the footprint of a branch in the history, bit by bit, and how far
 * back the history, each table of the conditional predictor, and the indirect predictor look.
 */
'use strict';

const HISTORY_ORDER = ['path', 'target', 'source'];

/* Registers of the history: {name, bits, shift, formulas}, a formula being {bit, terms}, the highest bit first. */
function historyRegisters(core) {
    const decided = name => (core.byName.get(name) || []).filter(f => f.grade !== 'U');
    const of = (name, history) => (decided(name).find(f => f.history === history) || {}).value;
    return HISTORY_ORDER.map(name => ({
        name, bits: of('frontend.history.bits', name), shift: of('frontend.history.shift', name),
        formulas: decided('frontend.history.footprint').filter(f => f.history === name)
            .map(f => ({bit: f.bit, terms: f.value.split(' ^ ')})).sort((a, b) => b.bit - a.bit),
    })).filter(register => register.formulas.length);
}

/* What looks back over how many branches: {label, branches, kind}. */
function historyReaches(core, registers) {
    const decided = (name, key) => (core.byName.get(name) || []).filter(f => f.grade !== 'U' && f.value > 0).sort((a, b) => a[key] - b[key]);
    const taken = decided('frontend.history.branches', 'kind').filter(f => f.kind === 'conditional-taken');
    return [
        ...taken.map(f => ({label: 'history: taken or not', branches: f.value, kind: 'history'})),
        ...registers.filter(r => r.bits && r.shift).map(r => ({
            label: `history: ${{path: 'addresses', target: 'targets', source: 'sources'}[r.name]}`, branches: Math.round(r.bits / r.shift), kind: 'history'})),
        ...decided('frontend.cond.history', 'table').map(f => ({label: `table ${f.table}`, branches: f.value, kind: 'table'})),
        ...decided('frontend.indirect.history', 'kind').filter(f => f.kind === 'conditional-taken').map(f => ({label: 'indirect branches', branches: f.value, kind: 'table'})),
    ];
}

class PredictorPicture extends Picture {
    constructor(host, core, width) {
        const registers = historyRegisters(core), reaches = historyReaches(core, registers);
        super(host, width, 'predictor', `Branch history: ${registers.map(r => `${r.formulas.length} bits of the footprint of ${r.name}`).join(', ')}; ${reaches.map(r => `${r.label} ${number(r.branches)} branches`).join(', ')}`);
        this.registers = registers;
        this.reaches = reaches;
        this.registers.forEach(register => this.drawFootprint(register));
        if (this.reaches.length)
            this.drawReaches();
        this.finish();
    }

    /* A column for each bit: the address bits that are XORed, one below the other, and under them the bit itself. */
    drawFootprint({name, bits, shift, formulas}) {
        const most = Math.max(...formulas.map(f => f.terms.length)), row = 27, perLine = Math.max(1, Math.floor((this.width - 8) / 46));
        const title = {path: 'Footprint of a taken branch', target: 'Footprint of its target', source: 'Footprint of its address'}[name];
        const length = bits ? `: history of ${number(bits)} bits${shift ? `, shifted by ${number(shift)} for each branch` : ''}` : '';
        this.text(4, this.height + 12, title + length, 'start', 'axis-title');
        this.height += 22;
        for (let from = 0; from < formulas.length; from += perLine) {
            formulas.slice(from, from + perLine).forEach(({bit, terms}, i) => {
                const x = 4 + 46 * i, base = this.height + row * most;
                terms.forEach((term, k) => {
                    const y = base - row * (terms.length - k);
                    this.root.append('rect').attr('class', term[0] === 'T' ? 'term target' : 'term source').attr('x', x).attr('y', y).attr('width', 40).attr('height', 17).attr('rx', 3);
                    this.text(x + 20, y + 12.5, term.replace(/[[\]]/g, ''), 'middle', 'term-text');
                    if (k > 0)
                        this.text(x + 20, y - 2, '⊕', 'middle', 'xor');
                });
                this.root.append('path').attr('class', 'grid').attr('d', `M${x + 20} ${base - 10}v10`);
                this.root.append('rect').attr('class', 'history-bit').attr('x', x).attr('y', base).attr('width', 40).attr('height', 19);
                this.text(x + 20, base + 13.5, bit, 'middle', 'term-text');
            });
            this.height += row * most + 34;
        }
    }

    /* Bars from the latest branch, at the right, to the oldest one that is looked at. */
    drawReaches() {
        const left = Math.min(150, this.width * 0.3), right = 52, row = 18, most = Math.max(...this.reaches.map(r => r.branches));
        const across = d3.scaleLinear().domain([most, 0]).range([left, this.width - right]);
        this.text(4, this.height + 12, 'Branches that are looked back over', 'start', 'axis-title');
        this.height += 22;
        for (const {label, branches, kind} of this.reaches) {
            this.text(left - 8, this.height + 12, label, 'end');
            this.root.append('rect').attr('class', `reach ${kind}`).attr('x', across(branches)).attr('y', this.height + 2)
                .attr('width', Math.max(1, across(0) - across(branches))).attr('height', row - 5).attr('rx', 2);
            this.text(this.width - right + 6, this.height + 12, number(branches));
            this.height += row;
        }
        this.root.append('path').attr('class', 'axis').attr('d', `M${left} ${this.height + 3}H${across(0)}`);
        for (const tick of across.ticks(5)) {
            this.root.append('path').attr('class', 'axis').attr('d', `M${across(tick)} ${this.height + 3}v4`);
            this.text(across(tick), this.height + 19, tick === 0 ? 'latest' : number(tick), 'middle');
        }
        this.height += 28;
    }
}

/* The rows that the picture is saved as. */
const predictorRows = picture => [
    ['what', 'bit', 'value'],
    ...picture.registers.flatMap(({name, formulas}) => formulas.map(({bit, terms}) => [`footprint ${name}`, bit, terms.join(' ^ ')])),
    ...picture.reaches.map(({label, branches}) => [label, '', branches])];

/* The picture as a figure of the overview; null where nothing of it is known. */
function predictorFigure(core) {
    const registers = historyRegisters(core), title = `Branch history of ${coreName(core)}`;
    if (!registers.length && !historyReaches(core, registers).length)
        return null;
    return pictureFigure('predictor', 'Branch prediction', title, 'B: bits of the address of a branch, T: of its target',
                         (host, width) => new PredictorPicture(host, core, width), predictorRows);
}
