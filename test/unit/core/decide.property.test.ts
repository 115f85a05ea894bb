import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTranscript } from '../../../lab/shared/check-transcript.ts';
import { buildInterimResults } from '../../../src/core/agent/messages.ts';
import type { ToolCall } from '../../../src/core/state/conversation.ts';
import { isPending, type Proposal } from '../../../src/core/state/proposal.ts';
import { ANA, BEN, TableGame } from './support/table-game.ts';

/** The model fails or changes expire, and people resume the run. */
const loss = fc.record({ kind: fc.constantFrom('model-fails' as const, 'expires' as const, 'resume' as const) });

/** A possible next event; numbers select one of the existing objects. */
const move = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('progress' as const),
      calls: fc.integer({ min: 0, max: 4 }),
      reads: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('begin' as const, 'land' as const, 'fail' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('person' as const),
      verb: fc.constantFrom(
        'approve',
        'deny',
        'edit',
        'continue',
        'reply',
        'approve-all',
        'mention',
        'deny-why',
        'deny-all',
      ),
      pick: fc.nat(5),
      outsider: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('stop' as const, 'task' as const) }) },
  { weight: 1, arbitrary: loss },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('ask' as const, 'answer' as const) }) },
);

type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

class Play {
  readonly game = new TableGame();
  readonly denied = new Set<string>();
  attempt: { runId: string; ids: readonly string[] } | null = null;
  committed: string[] = [];
  #call = 0;

  do(next: Move): void {
    switch (next.kind) {
      case 'progress':
        this.#progress(this.#calls(next.calls, next.reads));
        break;
      case 'begin':
        this.attempt ??= this.#begin();
        break;
      case 'land':
      case 'fail':
        this.#end(next.kind === 'land');
        break;
      case 'person':
        this.#person(next);
        break;
      case 'stop':
        this.game.commands(ANA, { name: 'stop' });
        break;
      case 'task':
        this.game.commands(ANA, { name: 'task', text: 'do it' });
        break;
      case 'ask':
        this.game.commands(ANA, { name: 'ask', text: 'why?' });
        break;
      case 'answer':
        this.game.sideQuestionIsAnswered();
        break;
      case 'model-fails':
        if (this.game.effects.some((effect) => effect.type === 'ask-model')) this.game.modelFails();
        break;
      case 'expires':
        this.game.later(200);
        this.game.signal({ type: 'deadline-reached' });
        break;
      case 'resume':
        this.game.commands(ANA, { name: 'resume', text: '' });
    }
  }

  /** Plays the outcome of the next effect. */
  #progress(calls: readonly ToolCall[]): void {
    const next = this.game.effects.map((effect) => effect.type);
    if (this.attempt !== null) this.#end(true);
    else if (next.includes('run-tools')) this.game.toolsAnswer();
    else if (next.includes('post-proposals')) this.game.reviewIsPosted();
    else if (next.includes('ask-model')) this.game.modelReplies(calls);
    else this.attempt = this.#begin();
  }

  #calls(count: number, reads: boolean) {
    return Array.from({ length: count }, (_, index) => {
      this.#call += 1;
      const args = reads && index === 0 ? 'read' : `edit ${1 + index * 6} text${this.#call}`;
      return { id: `call-${this.#call}`, name: 'edit_file', arguments: args };
    });
  }

  #begin() {
    const attempt = this.game.commitBegins();
    return attempt !== null && attempt.ids.length > 0 ? attempt : null;
  }

  #end(lands: boolean): void {
    if (this.attempt === null) return;
    const { attempt } = this;
    this.attempt = null;
    if (lands) this.committed.push(...attempt.ids);
    if (lands) this.game.commitLands(attempt);
    else this.game.commitFails(attempt);
  }

  #person({ verb, pick, outsider }: Extract<Move, { kind: 'person' }>): void {
    const posted = this.game.pull.proposals.filter((one) => one.comment !== null);
    const target = posted[pick % Math.max(1, posted.length)];
    const options = outsider ? ({ permission: 'read' } as const) : {};
    if (target === undefined) return;
    const at = { ...options, location: this.game.threadOf(target) };
    const targets = { by: 'location' } as const;
    const isOpen = ({ state }: Proposal): boolean => state === 'proposed' || state === 'approved';
    const open = isOpen(target);
    const allOpen = posted.filter(isOpen).map(({ id }) => id);
    const speaker = outsider ? BEN : ANA;
    const deny = (reason: string) =>
      this.game.commands(speaker, { name: 'deny', targets, reason, fullText: reason }, at);
    const instruction = {
      kind: 'text',
      text: 'differently',
      addressedToSomeoneElse: false,
      affirmation: false,
      addressedToApp: false,
      suggestion: null,
      isSuggestionAlone: false,
    } as const;
    const verbs = {
      approve: () => this.game.commands(speaker, { name: 'approve', targets, note: '' }, at),
      deny: () => deny(''),
      'deny-why': () => deny('not like this'),
      edit: () => this.game.commands(speaker, { name: 'edit', targets, instruction: 'so', fullText: 'so' }, at),
      reply: () => this.game.says(speaker, instruction, at),
      continue: () => this.game.commands(speaker, { name: 'continue', text: '' }, options),
      'approve-all': () => this.game.commands(speaker, { name: 'approve', targets: { by: 'all' }, note: '' }, options),
      'deny-all': () =>
        this.game.commands(speaker, { name: 'deny', targets: { by: 'all' }, reason: '', fullText: '' }, options),
      mention: () => this.game.says(speaker, { ...instruction, addressedToApp: true }, options),
    };
    const step = verbs[verb]();
    if (step.reason !== 'denied') return;
    for (const id of verb === 'deny-all' ? allOpen : open ? [target.id] : []) this.denied.add(id);
  }
}

function play(moves: readonly Move[], each: (play: Play) => void): Play {
  const table = new Play();
  table.do({ kind: 'task' });
  for (const next of moves) {
    table.do(next);
    each(table);
  }
  return table;
}

const game = fc.array(move, { minLength: 10, maxLength: 60 });

describe('decide, over random conversations', () => {
  it('every model request has a transcript with exactly one output for each call, in order (S102, S103), every transition is in the table (S76), and a change denied before an attempt is never in it, and none is committed twice (S77, B14)', () => {
    let requests = 0;
    let commits = 0;
    fc.assert(
      fc.property(game, (moves) => {
        play(moves, ({ game: table, committed, denied, attempt }) => {
          expect(table.problems).toEqual([]);
          commits += committed.length;
          expect(new Set(committed).size).toBe(committed.length);
          expect(attempt?.ids.filter((id) => denied.has(id)) ?? []).toEqual([]);
          const asked = table.effects.some(
            (effect) => effect.type === 'ask-model' && effect.runId === table.pull.run?.id,
          );
          if (!asked || table.pull.run?.phase.kind !== 'awaiting-model') return;
          requests += 1;
          expect(checkTranscript(table.transcript)).toEqual([]);
          expect(table.pull.proposals.filter(isPending)).toEqual([]);
        });
      }),
      { numRuns: 300 },
    );
    expect(requests).toBeGreaterThan(300);
    expect(commits).toBeGreaterThan(100);
  });

  it('a question is sent with a complete transcript and never changes the run (S111)', () => {
    let answered = 0;
    fc.assert(
      fc.property(game, (moves) => {
        play(moves, ({ game: table }) => {
          const { run } = table.pull;
          if (run === null) return;
          const interim = buildInterimResults(table.transcript, run);
          const asked = { role: 'user', content: 'why?' } as const;
          expect(checkTranscript([...table.transcript, ...interim, asked])).toEqual([]);
          const step = table.steps.at(-1);
          if (step?.reason.startsWith('side-question-') !== true) return;
          answered += 1;
          expect(step.messages).toEqual([]);
          expect(step.votes).toEqual([]);
          expect(step.pull.proposals).toBe(table.before.proposals);
          expect(step.pull.run?.phase).toBe(table.before.run?.phase);
          expect(step.pull.run?.batch).toBe(table.before.run?.batch);
        });
      }),
      { numRuns: 150 },
    );
    expect(answered).toBeGreaterThan(5);
  });
});
