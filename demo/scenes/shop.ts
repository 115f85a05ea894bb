import type { SourceFiles } from '../local-repository.ts';
import { editCall } from './scene-script.ts';

/** Plain files with these texts. */
export function toFiles(texts: Readonly<Record<string, string>>): SourceFiles {
  const encoder = new TextEncoder();
  return new Map(Object.entries(texts).map(([path, text]) => [path, { mode: '100644', bytes: encoder.encode(text) }]));
}

const README = `# Corner shop

Adds up the items in a basket and prints a receipt.
All amounts are whole cents.
`;

const BASKET_BEFORE = `export type Item = { readonly name: string; readonly cents: number };

export class Basket {
  readonly items: Item[] = [];

  add(item: Item): void {
    this.items.push(item);
  }

  /** The total in cents. */
  sum(): number {
    return this.items.reduce((sum, item) => sum + item.cents, 0);
  }
}
`;

const BASKET_AFTER = `import { memberDiscount } from './discount.ts';

export type Item = { readonly name: string; readonly cents: number };

export class Basket {
  readonly items: Item[] = [];
  member = false;

  add(item: Item): void {
    this.items.push(item);
  }

  /** The total in cents, after the discount for members. */
  sum(): number {
    return this.full() - this.discount();
  }

  /** What a member saves, in cents. */
  discount(): number {
    return this.member ? memberDiscount(this.full()) : 0;
  }

  private full(): number {
    return this.items.reduce((sum, item) => sum + item.cents, 0);
  }
}
`;

const RECEIPT_BEFORE = `import type { Basket } from './basket.ts';

/** One line for each item, then the sum. */
export function receipt(basket: Basket): string[] {
  const rows = basket.items.map((item) => item.name + '  ' + euros(item.cents));
  return [...rows, '-----', 'Sum  ' + euros(basket.sum())];
}

/** 1234 becomes 12.34. */
function euros(cents: number): string {
  return (cents / 100).toFixed(2);
}
`;

export const MEMBER_ROW = "  if (basket.member) rows.push('Prices for members');\n";

export const RECEIPT_AFTER = RECEIPT_BEFORE.replace('  return [', `${MEMBER_ROW}  return [`);

export const DISCOUNT_LINE = '  return (cents * MEMBER_PERCENT) / 100;\n';

export const DISCOUNT = `const MEMBER_PERCENT = 10;

/** What a member saves on an amount in cents. */
export function memberDiscount(cents: number): number {
${DISCOUNT_LINE}}
`;

/** A small shop, and a pull request that gives members ten percent off. */
export const SHOP = {
  repository: 'corner-shop',
  test: { name: 'test', path: 'src/discount.ts', failsOn: null, title: '', log: '' },
  pullTitle: 'Give members ten percent off',
  pullBody: 'Members save ten percent on everything.\n\n- [x] discount\n- [x] receipt\n- [ ] tests',
  base: toFiles({ 'README.md': README, 'src/basket.ts': BASKET_BEFORE, 'src/receipt.ts': RECEIPT_BEFORE }),
  head: toFiles({
    'README.md': README,
    'src/basket.ts': BASKET_AFTER,
    'src/receipt.ts': RECEIPT_AFTER,
    'src/discount.ts': DISCOUNT,
  }),
} as const;

export const WHOLE_CENTS = editCall(
  'src/discount.ts',
  DISCOUNT_LINE,
  '  return Math.round((cents * MEMBER_PERCENT) / 100);\n',
  'Ten percent of 12.34 is 123.4 cents, and all amounts are whole cents.',
);

export const SAVED_ROW = editCall(
  'src/receipt.ts',
  MEMBER_ROW,
  "  if (basket.member) rows.push('You save  ' + euros(basket.discount()));\n",
  'The receipt now names the amount.',
);

export const ROUND_DOWN = editCall(
  'src/discount.ts',
  DISCOUNT_LINE,
  '  return Math.floor((cents * MEMBER_PERCENT) / 100);\n',
  'All amounts are whole cents.',
);
