import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainDelivery } from '../../../../src/cli/explain/explanation.ts';
import { type ParseResult, parseDelivery } from '../../../../src/cli/explain/read-delivery.ts';
import { formatExplanation } from '../../../../src/cli/explain/text.ts';
import { formatDecision, readState } from '../../../support/recorded-decision.ts';

/** Recorded by scripts/record-delivery.ts, each with its expected output next to it. */
const recordings = join(import.meta.dirname, '../../../fixtures/deliveries');

function value<Value>(reading: ParseResult<Value>): Value {
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
    expect(folders).toEqual(['asked-for-changes', 'no-run', 'one-denied', 'pushed', 'review', 'two-wait']);
    expect(names.length).toBeGreaterThan(25);
  });

  it.each(names)('%s: the decision on %s', async (folder, name) => {
    const state = value(readState(text(folder, 'state.json')));
    const self = state.facts.app ?? { slug: 'countersign', botId: 0 };
    const delivery = value(parseDelivery(text(folder, `${name}.json`), null));
    const page = `${formatExplanation(explainDelivery(delivery, self))}\n${formatDecision(delivery, self, state)}`;
    await expect(page).toMatchFileSnapshot(join(recordings, folder, `${name}.txt`));
  });

  it('a stranger’s approval counts only with an assumed permission (A1)', () => {
    const state = value(readState(text('two-wait', 'state.json')));
    const self = state.facts.app ?? { slug: 'countersign', botId: 0 };
    const delivery = value(parseDelivery(text('two-wait', 'approve-by-stranger.json'), null));
    expect(formatDecision(delivery, self, state)).not.toMatch(/^vote/m);
    expect(formatDecision(delivery, self, state, 'write')).toMatch(/^vote +approve of \w+ by dora$/m);
    const unknown = formatDecision(delivery, self, { ...state, permissions: {} });
    expect(unknown).toMatch(/^lacks .*the permission of dora \(\d+\)$/m);
    expect(unknown).not.toMatch(/^vote/m);
  });

  it('are described in plain text, never as data', () => {
    const told = readdirSync(recordings).flatMap((folder) =>
      readdirSync(join(recordings, folder))
        .filter((name) => name.endsWith('.txt'))
        .map((name) => text(folder, name)),
    );
    expect(told.length).toBe(names.length);
    for (const page of told) expect(page).not.toMatch(/[{[]"|":/);
  });

  it('contain no confidential data', () => {
    for (const [folder, name] of names) expect(text(folder, `${name}.json`)).not.toMatch(/signature|secret|token"/i);
  });
});
