import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainDelivery } from '../../../../src/cli/explain/explanation.ts';
import { parseDelivery } from '../../../../src/cli/explain/read-delivery.ts';
import { formatExplanation } from '../../../../src/cli/explain/text.ts';

/** Recorded by scripts/record-delivery.ts, each with its expected output next to it. */
const RECORDINGS = join(import.meta.dirname, '../../../fixtures/deliveries');

const APP = { slug: 'countersign', botId: 1002 };

const folders = readdirSync(RECORDINGS);

const deliveries = folders.flatMap((folder) =>
  readdirSync(join(RECORDINGS, folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => [folder, name.replace('.json', '')] as const),
);

function readRecording(folder: string, file: string): string {
  return readFileSync(join(RECORDINGS, folder, file), 'utf8');
}

describe('recorded deliveries', () => {
  it('are all there', () => {
    expect(folders).toEqual(['no-run', 'one-denied', 'pushed', 'requested-changes', 'review', 'two-pending']);
    expect(deliveries.length).toBeGreaterThan(25);
  });

  it.each(deliveries)('%s: %s is explained', async (folder, name) => {
    const delivery = parseDelivery(readRecording(folder, `${name}.json`), null);
    if (delivery.kind === 'refused') throw new Error(delivery.problem);
    const text = formatExplanation(explainDelivery(delivery.value, APP));
    await expect(text).toMatchFileSnapshot(join(RECORDINGS, folder, `${name}.txt`));
  });

  it('are explained in plain text, never as data', () => {
    for (const [folder, name] of deliveries) expect(readRecording(folder, `${name}.txt`)).not.toMatch(/[{[]"|":/);
  });

  it('contain no confidential data', () => {
    for (const [folder, name] of deliveries)
      expect(readRecording(folder, `${name}.json`)).not.toMatch(/signature|secret|token"/i);
  });
});
