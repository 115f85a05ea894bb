import { describe, expect, it } from 'vitest';
import { partMarker, proposalMarker } from '../../src/render/markers.ts';
import { findEarlier } from '../../src/worker/earlier-comments.ts';
import { type WorkOut, workOutHere } from '../../src/worker/work-out.ts';
import { proposal, write } from '../render/sample.ts';

describe('what an earlier try left on the page', () => {
  it('H6: of a long diff, whose lines take a tenth of a second to be cut into parts, those are not counted beside webhooks', async () => {
    const one = proposal(write('docs/long.md', null, `${'\u{202E}\u{202D}ab'.repeat(10)}\n`.repeat(2_000)));
    const elsewhere: string[] = [];
    const workOut: WorkOut = async (name, input) => {
      elsewhere.push(name);
      return workOutHere(name, input);
    };
    const sought: string[] = [];
    const github = {
      findByMarker: async (markers: readonly string[]) => {
        sought.push(...markers);
        return new Map();
      },
    };
    await findEarlier({ github, workOut }, [one], null);
    expect(elsewhere).toEqual(['countParts']);
    expect(sought.length).toBeGreaterThan(5);
    const parts = sought.length;
    expect(sought).toEqual([
      proposalMarker(one.id),
      ...Array.from({ length: parts - 1 }, (_, index) => partMarker(one.id, index + 2, parts)),
    ]);
  });
});
