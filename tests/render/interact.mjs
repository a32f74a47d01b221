// Uses the page of a report with the keyboard alone; says what did not work.

export async function interact(tab) {
  const problems = [];
  const expect = (what, is) => { if (!is) problems.push(what); };
  const shown = () => tab.locator('tr.row:visible').count();
  const all = await shown();

  // The skip link is the first stop, every row opens with Enter, and the focus stays on its button.
  await tab.keyboard.press('Tab');
  expect('the skip link is not the first stop', await tab.evaluate(() => document.activeElement.className === 'skip'));
  const button = tab.locator('tr.row.unchanged th button').first();
  await button.focus();
  await tab.keyboard.press('Enter');
  expect('Enter does not open a row', (await button.getAttribute('aria-expanded')) === 'true');
  const marks = await tab.locator('tr.row.unchanged + tr.detail').first().locator('.mark').count();
  expect('an open row has no samples', marks > 0);
  await tab.keyboard.press('Space');
  expect('Space does not close a row', (await button.getAttribute('aria-expanded')) === 'false');

  // Filters narrow, say how many are left, and can be undone.
  await tab.locator('#f-text').focus();
  await tab.keyboard.type('canada');
  const some = await shown();
  expect('the name filter does nothing', some > 0 && some < all);
  expect('the count is not told', (await tab.locator('#f-count').textContent()) === `${some} of ${all} rows`);
  await tab.locator('#f-text').fill('');
  await tab.locator('#f-verdict').selectOption('changed');
  const changed = await shown();
  expect('the verdict filter does nothing', changed > 0 && changed < all);
  await tab.locator('#f-verdict').selectOption('');
  expect('a filter cannot be undone', (await shown()) === all);

  // Sorting by change, twice, puts the largest rise first.
  const header = tab.locator('th[data-key="change"] button');
  await header.focus();
  await tab.keyboard.press('Enter');
  await tab.keyboard.press('Enter');
  expect('aria-sort is not set', (await tab.locator('th[data-key="change"]').getAttribute('aria-sort')) === 'descending');
  const changes = await tab.locator('tr.row[data-change]').evaluateAll((rows) => rows.map((row) => Number(row.dataset.change)));
  expect('rows are not sorted', changes.every((value, index) => index === 0 || changes[index - 1] >= value));

  // Printed, the changed rows are open and the filters are gone.
  await tab.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await tab.emulateMedia({ media: 'print' });
  expect('filters are printed', !(await tab.locator('#filters').isVisible()));
  const open = await tab.locator('tr.regression th button[aria-expanded="true"]').count();
  expect('changed rows are not printed open', open === await tab.locator('tr.regression').count());
  await tab.emulateMedia({ media: 'screen' });
  return problems;
}
