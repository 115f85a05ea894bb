import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { account } from '../../src/explain/account.ts';
import { readDelivery } from '../../src/explain/read-delivery.ts';
import { readState } from '../../src/explain/read-state.ts';
import type { Reading } from '../../src/explain/reading.ts';
import { accountText } from '../../src/explain/words.ts';

/** Made by scripts/record-delivery.ts; what is expected of each stands beside it. */
const recordings = join(import.meta.dirname, '../fixtures/deliveries');

function value<Value>(reading: Reading<Value>): Value {
  if (reading.kind === 'refused') throw new Error(reading.problem);
  return reading.value;
}

function text(...path: readonly string[]): string {
  return readFileSync(join(recordings, ...path), 'utf8');
}

const folders = readdirSync(recordings);
const names = folders.flatMap((folder) =>
  readdirSync(join(recordings, folder))
    .filter((name) => name.endsWith('.json') && name !== 'state.json')
    .map((name) => [folder, name.replace('.json', '')] as const),
);

describe('recorded deliveries', () => {
  it('are all there', () => {
    expect(folders).toEqual(['no-run', 'two-wait']);
    expect(names.length).toBeGreaterThan(15);
  });

  it.each(names)('%s: what comes of %s', async (folder, name) => {
    const { pull, facts } = value(readState(text(folder, 'state.json')));
    const outsider = /-by-(?:stranger|author)$/.test(name);
    const state = { pull, facts: outsider ? { ...facts, permission: 'read' as const } : facts };
    const self = facts.self ?? { slug: 'countersign', botId: 0 };
    const delivery = value(readDelivery(text(folder, `${name}.json`), null));
    const told = `${accountText(account(delivery, self, null))}\n${accountText(account(delivery, self, state))}`;
    await expect(told).toMatchFileSnapshot(join(recordings, folder, `${name}.txt`));
  });

  it('hold nothing that only their receiver may know', () => {
    for (const [folder, name] of names) expect(text(folder, `${name}.json`)).not.toMatch(/signature|secret|token"/i);
  });
});
