import type { PullSource, SourceFiles } from './local-repository.ts';

/** Lines of a file, without their newlines. */
type TextLines = readonly string[];

const README: TextLines = [
  '# Corner shop',
  '',
  'Adds up the items in a basket and prints a receipt for the the customer.',
  '',
  '- `src/basket.ts` holds the items',
  '- `src/receipt.ts` formats the receipt',
  '',
  'All amounts are whole cents.',
];

const RECEIPT_BEFORE: TextLines = [
  "import type { Basket } from './basket.ts';",
  '',
  '// One line for each item, then the sum.',
  'export function receipt(basket: Basket): string[] {',
  "  const rows = basket.items.map((item) => item.name + '  ' + euros(item.cents));",
  "  return [...rows, '-----', 'Sum  ' + euros(basket.sum())];",
  '}',
  '',
  '// 1234 becomes 12.34.',
  'function euros(cents: number): string {',
  '  return (cents / 100).toFixed(2);',
  '}',
];

const RECEIPT_AFTER: TextLines = RECEIPT_BEFORE.flatMap((line) =>
  line.startsWith('  return [') ? ["  if (basket.member) rows.push('(prices for members)');  ", line] : [line],
);

const BASKET_TOP: TextLines = [
  'export type Item = { readonly name: string; readonly cents: number };',
  '',
  'export class Basket {',
  '  readonly items: Item[] = [];',
  '',
  '  add(item: Item): void {',
  '    this.items.push(item);',
  '  }',
  '',
];

const BASKET_BEFORE: TextLines = [
  ...BASKET_TOP,
  '  sum(): number {',
  '    return this.items.reduce((sum, item) => sum + item.cents, 0);',
  '  }',
  '}',
];

const BASKET_AFTER: TextLines = [
  "import { memberDiscount } from './discount.ts';",
  '',
  ...BASKET_TOP.map((line) => (line.includes('items: Item[]') ? `${line}\n  member = false;` : line)),
  '  // The total, after the discount that members recieve.',
  '  sum(): number {',
  '    const full = this.items.reduce((sum, item) => sum + item.cents, 0);',
  '    return this.member ? full - memberDiscount(full) : full;',
  '  }',
  '}',
];

const DISCOUNT: TextLines = [
  'const MEMBER_PERCENT = 10;',
  '',
  'export function memberDiscount(cents: number): number {',
  '  return Math.floor((cents * MEMBER_PERCENT) / 100);',
  '}',
];

function toSourceFiles(texts: Readonly<Record<string, TextLines>>): SourceFiles {
  const encoder = new TextEncoder();
  const entries = Object.entries(texts).map(([path, lines]) => {
    const bytes = encoder.encode(lines.map((line) => `${line}\n`).join(''));
    return [path, { mode: '100644' as const, bytes }] as const;
  });
  return new Map(entries);
}

const UNCHANGED = {
  'README.md': README,
  'package.json': ['{ "name": "corner-shop", "private": true, "type": "module" }'],
} as const satisfies Readonly<Record<string, TextLines>>;

/** The built-in example: a small shop, and a pull request that gives members ten percent off. */
export function createExamplePull(): PullSource {
  return {
    name: 'corner-shop',
    title: 'Give members ten percent off',
    description: 'the built-in example',
    base: toSourceFiles({ ...UNCHANGED, 'src/basket.ts': BASKET_BEFORE, 'src/receipt.ts': RECEIPT_BEFORE }),
    head: toSourceFiles({
      ...UNCHANGED,
      'src/basket.ts': BASKET_AFTER,
      'src/receipt.ts': RECEIPT_AFTER,
      'src/discount.ts': DISCOUNT,
    }),
    headTree: null,
  };
}
