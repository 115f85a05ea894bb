import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interpret } from '../../src/command/interpret.ts';
import { decide } from '../../src/run/decide.ts';
import { needs } from '../../src/run/needs.ts';
import { newPull } from '../../src/run/run.ts';
import { isRecord, parseJson } from '../../src/trust.ts';
import { wound, wounded } from './wounds.ts';

type Example = { readonly event: string; readonly payload: unknown };

/** GitHub's own examples of every webhook event, as an App gets them: with the installation they are sent for. */
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
const self = { slug: 'countersign', botId: 1 };
const facts = { now: '2026-01-01T00:00:00.000Z', self, served: true, permission: 'admin' } as const;

/** What it means, and how many votes and runs it makes of a pull request that nobody spoke on. */
function heard({ event, payload }: Example): {
  readonly meant: boolean;
  readonly votes: number;
  readonly runs: number;
} {
  const meaning = interpret({ event, payload, self });
  if (meaning.kind !== 'intent' || !('pull' in meaning.intent)) return { meant: false, votes: 0, runs: 0 };
  const pull = newPull(meaning.intent.pull);
  const signal = { type: 'intent', deliveryId: 'd', intent: meaning.intent } as const;
  needs(pull, signal, { now: facts.now, self, served: true });
  const step = decide(pull, signal, facts);
  return { meant: true, votes: step.votes.length, runs: step.pull.run === null ? 0 : 1 };
}

describe('F11: GitHub’s examples of all its events', () => {
  it('are there, and some of them mean something', () => {
    expect(new Set(examples.map(({ event }) => event)).size).toBeGreaterThan(40);
    expect(examples.filter((example) => heard(example).meant).length).toBeGreaterThan(5);
  });

  it('hold no word for us: nobody votes and no run begins', () => {
    for (const example of examples) expect(heard(example)).toMatchObject({ votes: 0, runs: 0 });
  });

  it('broken at random, throw nothing and decide nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...examples), fc.array(wound, { minLength: 1, maxLength: 3 }), (example, wounds) => {
        const broken = { event: example.event, payload: wounded(example.payload, wounds) };
        expect(heard(broken)).toMatchObject({ votes: 0, runs: 0 });
      }),
      { numRuns: 3000 },
    );
  });
});
