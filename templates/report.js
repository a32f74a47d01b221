// Filters, sorts and opens the rows of the report. Without it the page is complete but for the raw samples.
'use strict';
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  const data = JSON.parse(document.getElementById('data').textContent);
  const table = document.getElementById('table');
  const body = table.tBodies[0];
  const rows = [...body.querySelectorAll('tr.row')];
  const order = new Map(rows.map((row, index) => [row, index]));
  const field = (id) => document.getElementById(id);

  function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const middle = Math.floor(sorted.length / 2);
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  function quantile(values, q) {
    const sorted = [...values].sort((a, b) => a - b);
    const at = (sorted.length - 1) * q;
    const low = Math.floor(at);
    return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (at - low);
  }

  // Three or four digits with a prefix, as the table has them.
  function show(value, row) {
    const steps = row.time ? [[1, '', 's'], [1e-3, 'm', 's'], [1e-6, 'µ', 's'], [1e-9, 'n', 's']]
      : [[1e12, 'T', ''], [1e9, 'G', ''], [1e6, 'M', ''], [1e3, 'k', ''], [1, '', '']];
    const size = Math.abs(value);
    const [factor, prefix, suffix] = steps.find(([from]) => size >= from * 0.9995) ?? steps[steps.length - 1];
    const text = Number((value / factor).toPrecision(4)).toString();
    return prefix || suffix ? `${text}\u00a0${prefix}${suffix}` : text;
  }

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function mark(side, x, y, title) {
    const made = side === 'base'
      ? element('circle', { cx: x, cy: y, r: 4, class: 'mark base' })
      : element('rect', { x: x - 3.5, y: y - 3.5, width: 7, height: 7, class: 'mark head' });
    made.append(element('title', {}, title));
    return made;
  }

  function nice(step) {
    const power = 10 ** Math.floor(Math.log10(step));
    return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= step * 0.999);
  }

  function ticks(low, high, count) {
    const step = nice((high - low) / count);
    const found = [];
    for (let index = Math.ceil(low / step); index * step <= high + step * 1e-6 && found.length < 20; index += 1) found.push(index * step);
    return found;
  }

  // Raw samples in the order measured at the left, their distribution at the right, on one axis.
  function samples(row, stage) {
    const sides = ['base', 'head'].map((side) => {
      const values = stage[side];
      const at = stage[`${side}_at`];
      const points = values.map((value, index) => ({ value, at: at.length === values.length ? at[index] : index, index }));
      return [side, points.filter((point) => Number.isFinite(point.value))];
    });
    const all = sides.flatMap(([, points]) => points);
    const chart = element('svg', { viewBox: '0 0 900 230', class: 'chart', role: 'img', 'aria-label': `Samples of the ${stage.name} stage` });
    if (all.length === 0) return chart;
    let low = Math.min(...all.map((point) => point.value));
    let high = Math.max(...all.map((point) => point.value));
    const room = (high - low) * 0.08 || Math.abs(high) * 0.02 || 1;
    [low, high] = [low - room, high + room];
    const times = all.map((point) => point.at);
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const x = (at) => 90 + ((at - first) / (last - first || 1)) * 520;
    const y = (value) => 190 - ((value - low) / (high - low)) * 175;
    for (const tick of ticks(low, high, 5)) {
      chart.append(element('line', { x1: 80, x2: 880, y1: y(tick), y2: y(tick), class: 'grid' }),
        element('text', { x: 72, y: y(tick) + 4, class: 'tick end' }, show(tick, row)));
    }
    const timed = stage.base_at.length > 0;
    chart.append(element('text', { x: 350, y: 222, class: 'tick middle' }, timed ? 'order measured (seconds since the start)' : 'order in the file'));
    for (const tick of ticks(first, last === first ? first + 1 : last, 6)) {
      chart.append(element('text', { x: x(tick), y: 206, class: 'tick middle' }, String(Number(tick.toPrecision(6)))));
    }
    sides.forEach(([side, points], index) => {
      const values = points.map((point) => point.value);
      if (values.length === 0) return;
      const middle = median(values);
      const column = 700 + index * 110;
      chart.append(element('line', { x1: 84, x2: 616, y1: y(middle), y2: y(middle), class: `median ${side}` }));
      const [q1, q3] = [y(quantile(values, 0.25)), y(quantile(values, 0.75))];
      chart.append(element('rect', { x: column - 26, y: q3, width: 52, height: Math.max(q1 - q3, 1), class: `box ${side}` }),
        element('line', { x1: column - 26, x2: column + 26, y1: y(middle), y2: y(middle), class: `median ${side}` }),
        element('text', { x: column, y: 206, class: 'label middle' }, `${side} (n ${values.length})`));
      for (const point of points) {
        const title = `${side}, round ${point.index + 1}: ${show(point.value, row)}${timed ? ` at ${point.at.toFixed(1)} s` : ''}`;
        // A fixed pattern spreads equal values without chance.
        const spread = ((point.index * 7) % 11 - 5) * 3.2;
        chart.append(mark(side, x(point.at), y(point.value), title), mark(side, column + spread, y(point.value), title));
      }
    });
    return chart;
  }

  function detail(row) {
    const of = data[Number(row.dataset.number)];
    const made = document.createElement('tr');
    made.className = 'detail';
    const cell = made.insertCell();
    cell.colSpan = 9;
    for (const text of of.said) {
      const said = document.createElement('p');
      said.textContent = text;
      cell.append(said);
    }
    for (const stage of of.stages) {
      const figure = document.createElement('figure');
      const caption = document.createElement('figcaption');
      caption.textContent = `${stage.name}: every round, base as circles, head as squares; dashed: median of base, solid: of head`;
      const wide = document.createElement('div');
      wide.className = 'wide';
      wide.tabIndex = 0;
      wide.setAttribute('role', 'group');
      wide.setAttribute('aria-label', `Samples, ${stage.name}`);
      wide.append(samples(of, stage));
      figure.append(caption, wide);
      cell.append(figure);
    }
    if (of.stages.length === 0) cell.textContent = 'No samples.';
    return made;
  }

  function open(row, wanted) {
    const button = row.querySelector('th button');
    const isOpen = button.getAttribute('aria-expanded') === 'true';
    if (isOpen === wanted) return;
    button.setAttribute('aria-expanded', String(wanted));
    if (wanted) row.after(detail(row));
    else row.nextElementSibling.remove();
  }

  for (const row of rows) {
    const name = row.querySelector('.name');
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('aria-expanded', 'false');
    name.replaceWith(button);
    button.append(name);
    button.addEventListener('click', () => open(row, button.getAttribute('aria-expanded') !== 'true'));
  }

  function filter() {
    const text = field('f-text').value.trim().toLowerCase();
    const unit = field('f-unit').value;
    const suite = field('f-suite')?.value ?? '';
    const wanted = field('f-verdict').value;
    const verdicts = wanted === 'changed' ? ['regression', 'improvement', 'slower', 'faster'] : wanted.split(' ');
    let shown = 0;
    for (const row of rows) {
      const { name, suite: of, unit: its, verdict } = row.dataset;
      const fits = (!text || name.toLowerCase().includes(text)) && (!unit || its === unit) && (!suite || of === suite)
        && (!wanted || verdicts.includes(verdict));
      if (!fits) open(row, false);
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    field('f-count').value = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
  }

  function sort(key, descending) {
    const number = !['name', 'unit', 'verdict'].includes(key);
    const rank = ['regression', 'slower', 'improvement', 'faster', 'failed', 'timed-out', 'flaky', 'inconclusive', 'new', 'removed', 'skipped', 'unchanged', 'unjudged'];
    const value = (row) => {
      if (key === 'verdict') return rank.indexOf(row.dataset.verdict);
      if (number) return row.dataset[key] === undefined ? undefined : Number(row.dataset[key]);
      return row.dataset[key];
    };
    const compare = (a, b) => {
      const [left, right] = [value(a), value(b)];
      if (left === undefined || right === undefined) return (left === undefined) - (right === undefined) || order.get(a) - order.get(b);
      const by = typeof left === 'string' ? left.localeCompare(right, undefined, { numeric: true }) : left - right;
      return (descending ? -by : by) || order.get(a) - order.get(b);
    };
    for (const row of [...rows].sort(compare)) {
      const following = row.nextElementSibling;
      const details = following?.classList.contains('detail') ? following : null;
      body.append(row);
      if (details) body.append(details);
    }
  }

  const headers = [...table.querySelectorAll('thead th[data-key]')];
  for (const header of headers) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = header.textContent;
    header.replaceChildren(button);
    button.addEventListener('click', () => {
      const descending = header.getAttribute('aria-sort') === 'ascending';
      for (const other of headers) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      sort(header.dataset.key, descending);
    });
  }

  const form = field('filters');
  form.hidden = false;
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());

  const changed = rows.filter((row) => ['regression', 'improvement', 'slower', 'faster'].includes(row.dataset.verdict));
  if (changed.length > 0) open(changed[0], true);
  addEventListener('beforeprint', () => {
    for (const fold of document.querySelectorAll('details')) fold.open = true;
    for (const row of changed.slice(0, 40)) open(row, true);
  });
})();
