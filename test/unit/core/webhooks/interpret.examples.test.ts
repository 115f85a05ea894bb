import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../src/core/decide.ts';
import { needs } from '../../../../src/core/needs.ts';
import { createPullState } from '../../../../src/core/state/pull-state.ts';
import { interpret } from '../../../../src/core/webhooks/interpret.ts';
import { isRecord, parseJson } from '../../../../src/lib/trust.ts';
import { breakPayload, damage } from './broken-payload.ts';

type Example = { readonly event: string; readonly payload: unknown };

/** GitHub's own examples of every webhook event, with an installation, as an App receives them. */
function readExamples(): readonly Example[] {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json');
  const events = parseJson(readFileSync(file, 'utf8'));
  return (Array.isArray(events) ? events : []).flatMap((event: unknown) => {
    if (!isRecord(event) || !Array.isArray(event['examples'])) return [];
    return event['examples'].map((payload: unknown) => ({
      event: String(event['name']),
      payload: { installation: { id: 7 }, ...Object(payload) },
    }));
  });
}

const examples = readExamples();

const app = { slug: 'countersign', botId: 1 };

const facts = { now: '2026-01-01T00:00:00.000Z', app, ownerAllowed: true, permission: 'admin' } as const;

/** Whether a delivery is an intent, and how many votes and runs it creates on a new pull request. */
function effectOf({ event, payload }: Example): {
  readonly isIntent: boolean;
  readonly votes: number;
  readonly runs: number;
} {
  const interpretation = interpret({ event, payload, app });
  if (interpretation.kind !== 'intent' || !('pull' in interpretation.intent))
    return { isIntent: false, votes: 0, runs: 0 };
  const pull = createPullState(interpretation.intent.pull);
  const signal = { type: 'intent', deliveryId: 'd', intent: interpretation.intent } as const;
  needs(pull, signal, { now: facts.now, app, ownerAllowed: true });
  const step = decide(pull, signal, facts);
  return { isIntent: true, votes: step.votes.length, runs: step.pull.run === null ? 0 : 1 };
}

describe('GitHub’s examples of all its events (F11)', () => {
  it('cover many events, and some become intents', () => {
    expect(new Set(examples.map(({ event }) => event)).size).toBeGreaterThan(40);
    expect(examples.filter((example) => effectOf(example).isIntent).length).toBeGreaterThan(2);
  });

  it('create no votes and no runs', () => {
    for (const example of examples) expect(effectOf(example)).toMatchObject({ votes: 0, runs: 0 });
  });

  it('never throw and decide nothing when broken at random', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...examples),
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        (example, damages) => {
          const broken = { event: example.event, payload: breakPayload(example.payload, damages) };
          expect(effectOf(broken)).toMatchObject({ votes: 0, runs: 0 });
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
