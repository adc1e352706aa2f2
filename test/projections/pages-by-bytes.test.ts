import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pagesByBytes } from '../../projections/pages-by-bytes.ts';
import { freshPool } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

interface Row {
  readonly n: number;
  readonly text: string;
}

/** Rows and characters of each page. `size` is an SQL expression over the row number. */
async function pages(rows: number, size: string): Promise<{ readonly counts: number[]; readonly sizes: number[]; readonly all: number[] }> {
  const client = await pool.connect();
  const [counts, sizes, all]: [number[], number[], number[]] = [[], [], []];
  try {
    await client.query('BEGIN');
    const statement = `SELECT n, repeat('x', ${size}) AS text FROM generate_series(1, $1::int) n ORDER BY n`;
    for await (const page of pagesByBytes<Row>(client, statement, [rows], ({ text }) => text.length)) {
      counts.push(page.length);
      sizes.push(page.reduce((sum, { text }) => sum + text.length, 0));
      all.push(...page.map(({ n }) => n));
    }
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  return { counts, sizes, all };
}

const upTo = (rows: number) => Array.from({ length: rows }, (_, index) => index + 1);

test('pages of large rows hold a few of them, and every row comes once, in order', async () => {
  const { sizes, all } = await pages(300, '50000');
  expect(all).toEqual(upTo(300));
  // The first page is read before anything is known of the rows.
  expect(Math.max(...sizes.slice(1))).toBeLessThanOrEqual(256 * 1024);
  expect(sizes[0]).toBe(16 * 50_000);
});

test('pages of small rows grow to a bound, so that large ones behind them do not come in thousands', async () => {
  const { counts, sizes, all } = await pages(2_000, 'CASE WHEN n > 1500 THEN 20000 ELSE 10 END');
  expect(all).toEqual(upTo(2_000));
  expect(counts.slice(0, 5)).toEqual([16, 32, 64, 128, 256]);
  expect(Math.max(...counts)).toBe(256);
  const large = sizes.findIndex((size) => size > 256 * 1024);
  expect(Math.max(...sizes.slice(large + 1))).toBeLessThanOrEqual(256 * 1024);
});

test.each([0, 1, 16, 48])('pages of %s rows hold every row once', async (rows) => {
  expect((await pages(rows, '1')).all).toEqual(upTo(rows));
});
