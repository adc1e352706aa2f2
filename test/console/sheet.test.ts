import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskedCell, type ChangeOfValue, cellHistory } from '../../src/console/words/cell-history.ts';
import { changedValues } from '../../src/console/words/changed-values.ts';
import { besideActive, isWithin, movedBy, selectionAt } from '../../src/console/words/grid-keys.ts';
import { separatedCells, separatedText, separatorOf } from '../../src/console/words/separated.ts';
import {
  cellLabel,
  cellText,
  columnNameProblem,
  FIRST,
  placeNamed,
  problemOf,
  type Sheet,
  sheetOf,
  typedCell,
  withCells,
  withColumn,
  withoutColumn,
  withoutRows,
  withRowsBehind,
} from '../../src/console/words/sheet.ts';
import { changesBetween, differencesFrom, firstChanged, keyOf, placedOn, problemsIn } from '../../src/console/words/sheet-changes.ts';
import { copiedText, csvOf, fromCsv, pasted, pasteSaid, type Writing } from '../../src/console/words/sheet-text.ts';
import { changedSource } from '../../src/console/words/source-text.ts';
import { placeOfValue, withChanges, writtenChanges } from '../../src/console/words/written-values.ts';
import { differenceOf } from '../../src/domain/definition/release/difference.ts';
import { Contents, matchItems } from '../../src/domain/definition/release/matched.ts';
import type { Json } from '../../src/kernel/json.ts';

const BIG = '\uE00018446744073709551615';

const served = (rows: readonly object[]) => ({
  groups: { shop: { name: 'Shop', values: { axe: 5, sword: 30 } } },
  tables: {
    prices: {
      name: 'Prices',
      columns: [
        { key: 'item', type: 'string' },
        { key: 'price', type: 'number' },
      ],
      rows,
    },
  },
});
/** What a change of a test makes of a cell. */
const PROBE = -1;
const ROWS = [
  { item: 'axe', price: 5 },
  { item: 'sword', price: 30 },
  { item: 'bow', price: 12 },
];

function table(rows: readonly object[] = ROWS): Sheet {
  const sheet = sheetOf('prices', served(rows));
  if (sheet === null) throw new Error('no table');
  return sheet;
}

function group(): Sheet {
  const sheet = sheetOf('shop', served([]));
  if (sheet === null) throw new Error('no group');
  return sheet;
}

const price = { key: 'price', type: 'number', isDeclared: true } as const;

describe('what is typed into a cell', () => {
  it('means what its column holds, numbers by all of their digits', () => {
    expect(typedCell(' 42 ', price)).toBe(42);
    expect(typedCell('18446744073709551615', price)).toBe(BIG);
    expect(cellText(typedCell('18446744073709551615', price))).toBe('18446744073709551615');
    expect(typedCell('TRUE', { ...price, type: 'boolean' })).toBe(true);
    expect(typedCell('42', { ...price, type: 'string' })).toBe('42');
    expect(typedCell('', price)).toBeUndefined();
    const any = { ...price, type: 'any' } as const;
    expect([typedCell('42', any), typedCell('42', any, 'text'), typedCell('[1,2]', any), typedCell('[1', any)]).toEqual([
      42,
      '42',
      [1, 2],
      '[1',
    ]);
  });

  it('that does not fit is told why, within the range of the column', () => {
    expect(problemOf(typedCell('1,200', price), price)).toMatch(/numbers/);
    expect(problemOf('much', price)).toMatch(/numbers/);
    expect(problemOf(BIG, price)).toBeNull();
    expect(problemOf(null, price)).toBeNull();
    expect([problemOf(-1, { ...price, min: 0 }), problemOf(200, { ...price, max: 100 })]).toEqual(['At least 0.', 'At most 100.']);
    expect(problemOf('x', { ...price, type: 'boolean' })).toMatch(/true or false/);
  });
});

describe('a sheet', () => {
  it('is changed in cells, rows and columns, and says how', () => {
    const base = table();
    const edited = withCells(base, [{ row: 1, column: 'price', value: 35 }]);
    const more = withRowsBehind(edited, new Map([[1, [{ item: 'rope', price: 2 }]]]));
    const now = withoutRows(more, new Set([2]));
    const changes = changesBetween(base, now);
    expect(changes.cells.map(({ row, column, before, after }) => [row.id, column.key, before, after])).toEqual([[1, 'price', 30, 35]]);
    expect(now.rows.map(({ cells }) => cells['item'])).toEqual(['axe', 'sword', 'rope']);
    expect([changes.added.length, changes.removed.length]).toEqual([1, 1]);
    expect(changesBetween(base, base)).toMatchObject({ cells: [], added: [], removed: [] });
  });

  it('has entries of a group with names of their own', () => {
    const base = group();
    const twice = withRowsBehind(base, new Map([[FIRST, [{ name: 'axe', value: 9 }, { value: 3 }]]]));
    const found = problemsIn(twice, changesBetween(base, twice)).map(({ why }) => why);
    expect(found).toEqual(['There is an entry of this name.', 'An entry has a name.']);
  });

  it('names columns as templates can', () => {
    expect([columnNameProblem(table(), 'rarity'), columnNameProblem(table(), 'price')]).toEqual([null, 'There is a column of this name.']);
    expect(columnNameProblem(table(), '9 lives')).not.toBeNull();
  });

  it('leads to the cell that a publish changed, and to the one that was changed here, by the names of row and column', () => {
    const items = (rows: readonly object[], axe: number): Json => ({
      items: [
        { id: 'prices', type: 'table', name: 'Prices', rows: rows as Json },
        { id: 'shop', type: 'group', name: 'Shop', entries: { axe, sword: 30 } },
      ],
    });
    const publish = (rows: readonly object[], axe = 5) => {
      const { fields = [] } = differenceOf(items(ROWS, 5), items(rows, axe), () => true);
      return changedValues([{ kind: 'game-values', fields }]);
    };
    const [axe, sword, bow] = ROWS;
    const dearer = [axe, { ...sword, price: 35 }, bow] as readonly object[];
    const places = publish(dearer, 9);
    expect(placeNamed(table(dearer), places.get('Prices') ?? {})).toEqual({ row: 1, column: 1 });
    expect(placeNamed(group(), places.get('Shop') ?? {})).toEqual({ row: 0, column: 1 });
    const longer = [...dearer, { price: 3 }];
    expect(placeNamed(table([...ROWS, { price: 3 }]), publish([...ROWS, { price: 3 }]).get('Prices') ?? {})).toEqual({ row: 3, column: 0 });
    expect(publish([axe, bow] as readonly object[]).get('Prices')).toEqual({});
    const here = table(longer);
    expect(firstChanged(changesBetween(table([...ROWS, { price: 3 }]), here), here)).toEqual({ row: 'sword', column: 'price' });
    expect([placeNamed(here, { column: 'price' }), placeNamed(here, { row: 'bow' })]).toEqual([
      { row: 0, column: 1 },
      { row: 2, column: 0 },
    ]);
    expect(placeNamed(here, { row: 'axes', column: 'price' })).toBeNull();
  });

  it('calls cells as the history of values does', () => {
    const [first] = table().rows;
    if (first === undefined) throw new Error('no row');
    expect(cellLabel(table(), first, price, 0)).toBe('axe › price');
  });
});

describe('changes on another state of a sheet', () => {
  const say = (value: unknown) => cellText(value);
  const base = table();
  const now = withRowsBehind(withCells(base, [{ row: 1, column: 'price', value: 35 }]), new Map([[0, [{ item: 'rope', price: 2 }]]]));

  it('follow the row that they were made to', () => {
    const there = table([
      { item: 'bow', price: 12 },
      { item: 'axe', price: 6 },
      { item: 'sword', price: 30 },
    ]);
    expect(keyOf(base, there)).toBe('item');
    const { sheet, clashes } = placedOn(there, base, now, false, say);
    expect(clashes).toEqual([]);
    expect(sheet.rows.map(({ cells }) => [cells['item'], cells['price']])).toEqual([
      ['bow', 12],
      ['axe', 6],
      ['rope', 2],
      ['sword', 35],
    ]);
  });

  it('that meet others are told, and made only where that is meant', () => {
    const there = table([
      { item: 'axe', price: 5 },
      { item: 'sword', price: 31 },
    ]);
    const left = placedOn(there, base, now, false, say);
    expect(left.clashes).toEqual([{ what: 'sword › price', seen: '30', there: '31', own: '35' }]);
    expect(left.sheet.rows.at(-1)?.cells['price']).toBe(31);
    expect(placedOn(there, base, now, true, say).sheet.rows.at(-1)?.cells['price']).toBe(35);
  });

  it('mark what differs from live', () => {
    const live = table([
      { item: 'sword', price: 28 },
      { item: 'axe', price: 5 },
    ]);
    const differs = differencesFrom(live, base);
    const found = base.rows.map((row) => differs(row, price)?.value);
    expect(found).toEqual([undefined, 28, undefined]);
    expect(base.rows.map((row) => differs(row, price) !== null)).toEqual([false, true, true]);
  });
});

describe('the definition that holds a sheet', () => {
  const written = {
    items: [
      { id: 'shop', type: 'group', entries: { axe: 5, sword: 30 } },
      {
        id: 'prices',
        type: 'table',
        columns: ['item', { key: 'price', type: 'number' }],
        rows: [
          ['axe', 5],
          ['sword', 30],
          ['bow', 12],
        ],
      },
    ],
  };

  it('keeps its form: rows that are lists, columns that are names', () => {
    const base = table();
    const added = withColumn(withCells(base, [{ row: 1, column: 'price', value: 35 }]), { key: 'rare', type: 'boolean', isDeclared: true });
    const now = withoutRows(withRowsBehind(added, new Map([[2, [{ item: 'rope', rare: true }]]])), new Set([0]));
    const changes = writtenChanges(written, base, now);
    const after = Object(withChanges(written, changes ?? []));
    expect(after.items[1].rows).toEqual([
      ['sword', 35],
      ['bow', 12],
      ['rope', null, true],
    ]);
    expect(after.items[1].columns).toEqual(['item', { key: 'price', type: 'number' }, { key: 'rare', type: 'boolean' }]);
    expect(after.items[0]).toBe(written.items[0]);
    expect(written.items[1]?.rows?.[1]).toEqual(['sword', 30]);
  });

  it('loses a column with all of its cells', () => {
    const base = table();
    const changes = writtenChanges(written, base, withoutColumn(base, 'item'));
    expect(Object(withChanges(written, changes ?? [])).items[1]).toMatchObject({ columns: [{ key: 'price' }], rows: [[5], [30], [12]] });
  });

  it('renames, adds and removes entries of a group', () => {
    const base = group();
    const now = withoutRows(withCells(base, [{ row: 1, column: 'name', value: 'blade' }]), new Set([0]));
    const changes = writtenChanges(written, base, now);
    expect(Object(withChanges(written, changes ?? [])).items[0].entries).toEqual({ blade: 30 });
  });

  it('is found in every form, and not taken for another', () => {
    const sheet = { id: 'shop', kind: 'group', collection: null } as const;
    expect(placeOfValue(written, sheet)).toEqual(['items', 0]);
    expect(placeOfValue(written.items, sheet)).toEqual([0]);
    expect(placeOfValue({ groups: { shop: { axe: 1 } } }, sheet)).toEqual(['groups', 'shop']);
    expect(placeOfValue({ constants: [{ name: 'shop', entries: {} }] }, { ...sheet, collection: 'players' })).toEqual(['constants', 0]);
    expect(placeOfValue(written, { ...sheet, id: 'other' })).toBeNull();
    expect(writtenChanges({ items: [{ id: 'prices', type: 'table', rows: [] }] }, table(), table())).toBeNull();
  });
});

describe('the text of its author', () => {
  const text = `# What things cost
items:
  - id: prices   # looked up by item
    type: table
    columns: [item, price]
    rows:
      - { item: axe,   price: 5 }   # cheap
      - { item: "sword", price: 30 }
      - item: bow
        price: 12
  - id: shop
    type: group
    entries: { tool: 25, id: 18446744073709551616 }
`;

  it('keeps every byte that a change of cells does not touch', () => {
    const rows = ['items', 0, 'rows'];
    const made = changedSource(text, 'yaml', [
      { does: 'set', path: [...rows, 0, 'price'], value: 7 },
      { does: 'set', path: [...rows, 1, 'item'], value: 'long sword: the, best' },
      { does: 'set', path: ['items', 1, 'entries', 'id'], value: BIG },
    ]);
    const expected = text
      .replace('price: 5 }', 'price: 7 }')
      .replace('"sword"', '"long sword: the, best"')
      .replace('18446744073709551616', '18446744073709551615');
    expect(made).toBe(expected);
  });

  it('keeps its comments where rows come and go', () => {
    const rows = ['items', 0, 'rows'];
    const made = changedSource(text, 'yaml', [
      { does: 'remove', path: [...rows, 1] },
      { does: 'insert', path: [...rows, 2], value: { item: 'rope', price: BIG } },
      { does: 'insert', path: ['items', 0, 'columns', 2], value: { key: 'rare', type: 'boolean' } },
    ]);
    expect(made).toContain('# cheap');
    expect(made).toContain('{ item: rope, price: 18446744073709551615 }');
    expect(made).not.toContain('"sword"');
  });

  it('is JSON where it was JSON', () => {
    const json = '{\n  "items": [{"id": "shop", "type": "group", "entries": {"axe": 5}}]\n}\n';
    const entries = ['items', 0, 'entries'];
    expect(changedSource(json, 'json', [{ does: 'set', path: [...entries, 'axe'], value: 7 }])).toBe(json.replace('5', '7'));
    const made = changedSource(json, 'json', [{ does: 'set', path: [...entries, 'sword'], value: BIG }]);
    expect(made).toContain('"sword": 18446744073709551615');
  });

  it('that is broken is not touched', () => {
    expect(changedSource('items: [', 'yaml', [{ does: 'set', path: ['items', 0], value: 1 }])).toBeNull();
  });
});

describe('cells of a spreadsheet', () => {
  it('come and go with quotes, line ends and separators', () => {
    const rows = [
      ['item', 'price'],
      ['long "sword"\nof fire', '30'],
      ['', '5,5'],
    ];
    for (const separator of ['\t', ',', ';'] as const) expect(separatedCells(separatedText(rows, separator), separator)).toEqual(rows);
    expect(separatedCells('\uFEFFa,b\r\n1,\r\n', ',')).toEqual([
      ['a', 'b'],
      ['1', ''],
    ]);
    expect(separatedCells('a\tb', '\t')).toEqual([['a', 'b']]);
    expect(separatedCells('', '\t')).toEqual([]);
    expect([separatorOf('a;b;c\n1,2'), separatorOf('a,b'), separatorOf('a')]).toEqual([';', ',', ',']);
  });
});

describe('a grid', () => {
  const size = { rows: 5, columns: 3 };
  // The first column is filled but for its third row.
  const isFilled = (row: number, column: number) => column === 0 && row !== 2;
  const go = (key: string, from = selectionAt(1, 0), held: { isControl?: boolean; isShift?: boolean } = {}) =>
    movedBy(from, { key, isControl: false, isShift: false, ...held }, size, 2, isFilled);

  it('is gone through as a spreadsheet is', () => {
    expect(go('ArrowDown')?.active).toEqual({ row: 2, column: 0 });
    expect(go('ArrowLeft')?.active).toEqual({ row: 1, column: 0 });
    expect([go('Home', selectionAt(4, 2))?.active, go('End')?.active]).toEqual([
      { row: 4, column: 0 },
      { row: 1, column: 2 },
    ]);
    expect(go('PageDown')?.active.row).toBe(3);
    expect(go('End', selectionAt(0, 0), { isControl: true })?.active).toEqual({ row: 4, column: 2 });
    expect(go('x')).toBeNull();
  });

  it('goes to the edge of what is filled, and to where the next begins', () => {
    const control = { isControl: true };
    expect(go('ArrowDown', selectionAt(0, 0), control)?.active.row).toBe(1);
    expect(go('ArrowDown', selectionAt(1, 0), control)?.active.row).toBe(3);
    expect(go('ArrowDown', selectionAt(3, 0), control)?.active.row).toBe(4);
    expect(go('ArrowRight', selectionAt(0, 0), control)?.active.column).toBe(2);
  });

  it('selects ranges, rows and everything', () => {
    const range = go('ArrowRight', selectionAt(1, 0), { isShift: true });
    expect(range).toEqual({ anchor: { row: 1, column: 0 }, active: { row: 1, column: 1 } });
    expect([isWithin(range ?? selectionAt(0, 0), 1, 1), isWithin(range ?? selectionAt(0, 0), 2, 1)]).toEqual([true, false]);
    expect(go(' ', selectionAt(1, 1), { isShift: true })?.active).toEqual({ row: 1, column: 2 });
    expect(go('a', selectionAt(1, 1), { isControl: true })?.active).toEqual({ row: 4, column: 2 });
    expect(besideActive(selectionAt(1, 2), 1, size)).toEqual(selectionAt(2, 0));
    expect(besideActive(selectionAt(4, 2), 1, size)).toBeNull();
  });
});

describe('a sheet and a spreadsheet', () => {
  const whole = { anchor: { row: 0, column: 0 }, active: { row: 1, column: 1 } };

  it('exchange cells, and rows beyond the last', () => {
    expect(copiedText(table(), whole)).toBe('axe\t5\nsword\t30');
    const done = pasted(table(), selectionAt(2, 0), 'bow\t13\tmore\nrope\t2\n');
    expect(done?.edits).toEqual([
      { row: 2, column: 'item', value: 'bow' },
      { row: 2, column: 'price', value: 13 },
    ]);
    expect([done?.added, done?.cut]).toEqual([[{ item: 'rope', price: 2 }], 1]);
    expect(done === null ? '' : pasteSaid(done)).toBe(
      '4 cells were pasted. 1 row was added. 1 column was left out: the table has no more.',
    );
    expect(pasted(table(), { ...whole, anchor: { row: 0, column: 1 } }, '9')?.edits.map(({ value }) => value)).toEqual([9, 9]);
    expect(pasted(table(), whole, '')).toBeNull();
  });

  it('take a first row that names columns for their names, in whatever order, and leave out what no column is called', () => {
    const done = pasted(table(), selectionAt(1, 1), 'Price\tcolour\titem\n31\tred\tblade\n13\tblue\tbow\n2\tgrey\trope\n');
    expect(done?.edits).toEqual([
      { row: 1, column: 'price', value: 31 },
      { row: 1, column: 'item', value: 'blade' },
      { row: 2, column: 'price', value: 13 },
      { row: 2, column: 'item', value: 'bow' },
    ]);
    expect(done).toMatchObject({ added: [{ price: 2, item: 'rope' }], cut: 1, isHeaded: true });
    expect(done?.selection).toEqual({ anchor: { row: 1, column: 0 }, active: { row: 3, column: 1 } });
    // A row alone, or one that names too little, is data.
    expect(pasted(table(), selectionAt(0, 0), 'item\tprice')?.isHeaded).toBe(false);
    expect(pasted(table(), selectionAt(0, 0), 'item\t5\nrope\t6')?.isHeaded).toBe(false);
  });

  it('read numbers as their country writes them, and ask where that could be two', () => {
    const prices = (text: string, writing?: Writing) => {
      const done = pasted(table(), selectionAt(0, 1), text, writing);
      return done?.unclear ?? done?.edits.map(({ value }) => value);
    };
    expect(prices('1 250\n1\u202F250,5\n−3')).toEqual([1250, 1250.5, -3]);
    expect(prices('1,250.50\n1,250\n1.250')).toEqual([1250.5, 1250, 1.25]);
    expect(prices("12,5\n1.250\n1'250")).toEqual([12.5, 1250, 1250]);
    expect(prices('1,250,000\n0.125\n007')).toEqual([1_250_000, 0.125, '007']);
    expect(prices('1,250\n2,000\n3')).toEqual({ text: '1,250', readings: { '.': '1250', ',': '1.250' }, more: 1 });
    expect([prices('1,250', '.'), prices('1,250', ','), prices('1.250', 'own')]).toEqual([[1250], [1.25], [1.25]]);
    // What says one country beside what says another tells nothing of a third.
    expect(prices('1,5\n2.5\n1.250')).toMatchObject({ text: '1.250' });
    expect(pasted(table(), selectionAt(0, 0), '1,250\n1.250')?.edits.map(({ value }) => value)).toEqual(['1,250', '1.250']);
  });

  it('read numbers of a file so, too: between commas a point stands before decimals', () => {
    const read = (text: string, decimal?: ',') => fromCsv(table(), text, decimal);
    const price = ({ sheet: { rows } }: ReturnType<typeof fromCsv>) => rows[0]?.cells['price'];
    expect(price(read('item,price\naxe,1.250\n'))).toBe(1.25);
    expect(price(read('item,price\naxe,"1,250"\n'))).toBe(1250);
    expect(price(read('item;price\naxe;1.250,00\n'))).toBe(1250);
    expect(read('item;price\naxe;1.250\n')).toMatchObject({ problems: [], unclear: { text: '1.250' } });
    expect(price(read('item;price\naxe;1.250\n', ','))).toBe(1250);
  });

  it('read what a file says, by the names of rows, or tell what does not fit', () => {
    const base = table();
    expect(csvOf(base)).toBe('item,price\r\naxe,5\r\nsword,30\r\nbow,12\r\n');
    const read = fromCsv(base, 'item;price\nsword;35\nrope;2\nbow;12\n');
    expect(read.problems).toEqual([]);
    const changes = changesBetween(base, read.sheet);
    expect(changes.cells.map(({ row, after }) => [row.cells['item'], after])).toEqual([['sword', 35]]);
    expect([changes.added.map(({ cells }) => cells['item']), changes.removed.map(({ cells }) => cells['item'])]).toEqual([
      ['rope'],
      ['axe'],
    ]);
    expect(fromCsv(base, 'item,price\naxe,much\n').problems).toEqual([{ row: 2, column: 'price', why: expect.stringMatching(/numbers/) }]);
    expect(fromCsv(base, 'item,cost\naxe,1\n').problems).toMatchObject([{ row: 1, column: 'cost' }]);
    expect(changesBetween(base, fromCsv(base, csvOf(base)).sheet)).toEqual(changesBetween(base, base));
  });

  it('run nothing in a spreadsheet that opens the file, and read every text back as it was', () => {
    const columns = [...table().columns, { key: '=note', type: 'any' as const, isDeclared: true }];
    const texts = ['=1+1', "'=1+1", "it's", '-5', '@x', '\tx', "'", "''+1", '＝1+1', '\n=1'];
    const rows = texts.map((item, id) => ({ id, cells: { item, price: -5, '=note': item } }));
    const sheet = { ...table(), columns, rows };
    expect(csvOf(sheet).split('\r\n').slice(0, 3)).toEqual(["item,price,'=note", "'=1+1,-5,'=1+1", "''=1+1,-5,''=1+1"]);
    expect(csvOf(sheet)).toContain("'＝1+1,-5,'＝1+1");
    const read = fromCsv(sheet, csvOf(sheet)).sheet;
    expect(read.rows.map(({ cells }) => [cells['item'], cells['price']])).toEqual(texts.map((text) => [text, -5]));
  });
});

describe('the history of a cell', () => {
  const cell = (place: number | null, name: string | null, column: string | null = 'price') => ({ name, column, place });
  const said = (changes: readonly ChangeOfValue[], asked: AskedCell) => cellHistory(changes, asked).map((each) => each.said);
  const change = (...fields: ChangeOfValue['fields']) => ({ change: 'change', fields });

  it('is what publishes did to it, alone or with its row', () => {
    const made = change(
      { path: '/rows/0/price', label: 'axe › price', before: 5, after: 7 },
      { path: '/rows/2', label: 'rope', after: { item: 'rope', price: 2 } },
    );
    for (const place of [0, null]) expect(said([made], cell(place, 'axe'))).toEqual([{ before: 5, after: 7, as: 'cell' }]);
    for (const place of [2, null]) expect(said([made], cell(place, 'rope'))).toEqual([{ before: undefined, after: 2, as: 'cell' }]);
    expect(said([made], cell(1, 'bow'))).toEqual([]);
    expect(said([{ ...made, more: 9 }], cell(1, 'bow'))[0]?.as).toBe('hidden');
    expect(said([{ change: 'add', fields: [] }], cell(null, 'axe', null))[0]?.as).toBe('whole');
    expect(said([{ change: 'none', fields: [] }], cell(null, 'axe', null))).toEqual([]);
  });

  it('follows every row just as the difference matches it', () => {
    const row = fc.record({ price: fc.nat(9) }).map((one): Json => one);
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), fc.array(row, { maxLength: 8 }), (before, after) => {
        const told = { change: 'change', fields: differenceOf({ rows: before }, { rows: after }, () => true).fields };
        const isOrder = told.fields.some(({ path }) => path === '/rows');
        const { from } = matchItems(before, after, new Contents());
        for (const place of isOrder ? [] : from.keys()) {
          const was = before.map((_, at) => change({ path: `/rows/${at}/price`, label: '', before: at, after: PROBE }));
          const found = said([{ ...told, fields: told.fields.filter(({ path }) => !path.endsWith('price')) }, ...was], cell(place, null));
          expect(found.filter(({ after: is }) => is === PROBE).map(({ before: at }) => at)).toEqual(
            from[place] === -1 ? [] : [from[place]],
          );
        }
      }),
    );
  });

  it('follows the row back through rows that were put in, taken out, moved and renamed', () => {
    const before = [
      change({ path: '/rows/1/price', label: '#2 › price', before: 5, after: 6 }),
      change({ path: '/rows/0/price', label: '#1 › price', before: 1, after: 2 }),
    ];
    const inserted = change({ path: '/rows/0', label: '#1', after: { price: 9 } });
    expect(said([inserted, ...before], cell(2, null))).toEqual([{ before: 5, after: 6, as: 'cell' }]);
    const removed = change({ path: '/rows/0', label: '#1', before: { price: 9 } });
    expect(said([removed, ...before], cell(0, null))).toEqual([{ before: 5, after: 6, as: 'cell' }]);
    const moved = change({ path: '/rows/0', label: '#1 › place', before: 2, after: 1, moved: true });
    expect(said([moved, ...before], cell(0, null))).toEqual([{ before: 5, after: 6, as: 'cell' }]);
    expect(said([moved, ...before], cell(1, null))).toEqual([{ before: 1, after: 2, as: 'cell' }]);
    const renamed = change({ path: '/rows/1/item', label: 'pike › item', before: 'spear', after: 'pike' });
    const lost = { ...change(), more: 500 };
    const earlier = change({ path: '/rows/4/price', label: 'spear › price', before: 3, after: 4 });
    expect(said([renamed, lost, earlier], cell(1, 'pike'))).toMatchObject([{ as: 'hidden' }, { before: 3, after: 4 }]);
  });
});
