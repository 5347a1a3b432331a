/*
 * A matrix as a heat map, drawn with d3: a cell for each value, its colour by the value.
 */
'use strict';

/* A title of an axis, with its unit unless the values carry it. */
const titleWithUnit = axis => axis.title + (axis.unit && !axis.bytes ? ` (${axis.unit})` : '');

/*
 * The order of cores in which each one is followed by the nearest of those left, so that clusters are blocks of the
 * matrix; as they come for every other matrix. Pairs that were not measured are the farthest.
 */
function clusteredOrder(matrix) {
    const order = matrix.rows.map((_, i) => i);
    if (matrix.row_axis !== 'core' || matrix.column_axis !== 'other core' || matrix.rows.length !== matrix.columns.length)
        return order;
    const cell = (i, j) => matrix.cells[i] && typeof matrix.cells[i][j] === 'number' ? matrix.cells[i][j] : Infinity;
    const time = (i, j) => Math.min(cell(i, j), cell(j, i));
    for (let at = 1; at < order.length; at++) {
        let nearest = at;
        for (let k = at + 1; k < order.length; k++)
            if (time(order[at - 1], order[k]) < time(order[at - 1], order[nearest]))
                nearest = k;
        order.splice(at, 0, ...order.splice(nearest, 1));
    }
    return order;
}

/* The same matrix with rows, and columns where these are other cores, in that order. */
function clustered(matrix) {
    const order = clusteredOrder(matrix);
    if (order.every((from, to) => from === to))
        return matrix;
    return {...matrix, rows: order.map(i => matrix.rows[i]), columns: order.map(i => matrix.columns[i]),
        cells: order.map(i => order.map(j => matrix.cells[i] ? matrix.cells[i][j] : null))};
}

class HeatMap {
    /* Draws into host. options: width in pixels; large: with keys; say(text): is called with the value of a cell. */
    constructor(host, matrix, options) {
        matrix = clustered(matrix);
        this.matrix = matrix;
        this.options = options;
        this.rowAxis = axisOf(matrix.row_axis);
        this.columnAxis = axisOf(matrix.column_axis);
        this.cells = matrix.rows.flatMap((row, i) => matrix.columns.map((column, j) =>
            ({i, j, row, column, value: matrix.cells[i] ? matrix.cells[i][j] : null})));
        this.setSizes();
        this.setColours();
        this.makeFrame(host);
        this.drawCells();
        this.drawAxes();
        this.drawColours();
        if (options.large)
            this.listenToKeys();
    }

    get svg() {
        return this.root.node();
    }

    setSizes() {
        const {rows, columns} = this.matrix, {width, large} = this.options;
        const margin = {top: 26, right: 12, bottom: 58, left: 66};
        this.margin = margin;
        this.cellWidth = (width - margin.left - margin.right) / columns.length;
        this.cellHeight = Math.max(18, Math.min(large ? 44 : 30, (large ? 420 : 200) / rows.length));
        this.inner = {width: width - margin.left - margin.right, height: this.cellHeight * rows.length};
        this.height = this.inner.height + margin.top + margin.bottom;
    }

    /* Values that hardly differ get colours that hardly differ. */
    setColours() {
        const values = this.cells.map(cell => cell.value).filter(value => typeof value === 'number');
        const [least, most] = d3.extent(values.length ? values : [0, 1]);
        const isFlat = most - least < FLAT * Math.abs(most);
        this.least = least;
        this.most = most;
        this.log = least > 0 && most / least >= LOG_FROM;
        this.colour = (this.log ? d3.scaleSequentialLog(d3.interpolateYlGnBu) : d3.scaleSequential(d3.interpolateYlGnBu))
            .domain(isFlat ? [most * 0.8, most * 1.2 || 1] : [least, most]);
    }

    makeFrame(host) {
        const {matrix, margin, height} = this, {width} = this.options;
        const description = `Heat map ${matrix.name}: ${matrix.unit || ''} by ${this.rowAxis.title} and ${this.columnAxis.title}, ` +
            `${matrix.rows.length} by ${matrix.columns.length}, from ${number(this.least)} to ${number(this.most)}`;
        this.root = d3.select(host).append('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('class', 'plot heat')
            .attr('width', width).attr('height', height).attr('role', 'img').attr('aria-label', description);
        this.frame = this.root.append('g').attr('transform', `translate(${margin.left},${margin.top})`);
    }

    /* The lines of the tooltip of a cell. */
    describe(cell) {
        const {rowAxis, columnAxis} = this;
        return [
            {text: `${rowAxis.title} ${axisValue(rowAxis, cell.row)}, ${columnAxis.title} ${axisValue(columnAxis, cell.column)}`, class: 'strong'},
            {text: typeof cell.value === 'number' ? `${number(cell.value)} ${this.matrix.unit || ''}` : 'not measured'}];
    }

    drawCells() {
        const {cellWidth, cellHeight, colour} = this, isMeasured = cell => typeof cell.value === 'number';
        this.rects = this.frame.selectAll('.cell').data(this.cells).join('rect').attr('class', cell => isMeasured(cell) ? 'cell' : 'cell missing')
            .attr('x', cell => cell.j * cellWidth).attr('y', cell => cell.i * cellHeight)
            .attr('width', Math.max(0.5, cellWidth - (cellWidth > 6 ? 1 : 0))).attr('height', cellHeight - 1)
            .attr('fill', cell => isMeasured(cell) ? colour(cell.value) : null)
            .on('pointermove', cell => showTip(this.describe(cell), d3.event.clientX, d3.event.clientY))
            .on('pointerleave', hideTip);
        if (cellWidth >= 34) /* a number fits */
            this.frame.selectAll('.cell-text').data(this.cells.filter(isMeasured)).join('text').attr('class', 'cell-text')
                .attr('x', cell => (cell.j + 0.5) * cellWidth).attr('y', cell => (cell.i + 0.5) * cellHeight).attr('dy', '0.32em').attr('text-anchor', 'middle')
                .attr('fill', cell => d3.hsl(d3.lab(colour(cell.value)).l > 60 ? '#000' : '#fff')).text(cell => number(cell.value, 3));
    }

    drawAxes() {
        const {matrix, margin, inner, cellWidth, cellHeight, rowAxis, columnAxis} = this;
        const every = Math.ceil(matrix.columns.length / Math.max(2, Math.floor(inner.width / 46)));
        const labelled = matrix.columns.map((column, j) => ({column, j})).filter(d => d.j % every === 0);
        this.frame.selectAll('.column').data(labelled).join('text').attr('class', 'tick').attr('x', d => (d.j + 0.5) * cellWidth).attr('y', inner.height + 14)
            .attr('text-anchor', 'middle').text(d => axisValue(columnAxis, d.column));
        this.frame.selectAll('.row').data(matrix.rows).join('text').attr('class', 'tick').attr('x', -7).attr('y', (_, i) => (i + 0.5) * cellHeight)
            .attr('dy', '0.32em').attr('text-anchor', 'end').text(row => axisValue(rowAxis, row));
        this.root.append('text').attr('class', 'axis-title').attr('x', this.options.width - margin.right).attr('y', margin.top + inner.height + 30)
            .attr('text-anchor', 'end').text(titleWithUnit(columnAxis));
        this.root.append('text').attr('class', 'axis-title').attr('x', 2).attr('y', 12).text(titleWithUnit(rowAxis));
    }

    /* The scale of colours, with the least and the greatest value at its ends. */
    drawColours() {
        const {margin, inner, colour} = this, steps = 24, width = Math.min(160, inner.width / 2), [from, to] = colour.domain();
        const value = part => this.log ? from * (to / from) ** part : from + (to - from) * part;
        const scale = this.root.append('g').attr('transform', `translate(${margin.left},${margin.top + inner.height + 36})`);
        scale.selectAll('rect').data(d3.range(steps)).join('rect').attr('x', k => k * width / steps).attr('width', width / steps + 0.5).attr('height', 8)
            .attr('fill', k => colour(value((k + 0.5) / steps)));
        scale.append('text').attr('class', 'tick').attr('y', 20).text(number(this.least));
        scale.append('text').attr('class', 'tick').attr('x', width).attr('y', 20).attr('text-anchor', 'end').text(`${number(this.most)} ${this.matrix.unit || ''}`);
    }

    /* The arrow keys choose a cell, and its value is shown and said. */
    listenToKeys() {
        const across = this.matrix.columns.length;
        let at = -1;
        this.root.attr('tabindex', 0).attr('role', 'application').attr('aria-roledescription', 'heat map').on('keydown', () => {
            const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across}[d3.event.key];
            if (!step)
                return;
            d3.event.preventDefault();
            at = Math.max(0, Math.min(this.cells.length - 1, at < 0 ? 0 : at + step));
            this.rects.classed('chosen', (_, i) => i === at);
            const box = this.rects.nodes()[at].getBoundingClientRect(), lines = this.describe(this.cells[at]);
            showTip(lines, box.left, box.bottom);
            this.options.say(lines.map(line => line.text).join('; '));
        }).on('blur', hideTip);
    }
}

/* Draws a matrix into host; see HeatMap. */
const drawMatrix = (host, matrix, options) => new HeatMap(host, matrix, options);
