import { readBlobText } from '../../../fakes/github/git/objects.ts';
import type { ModelResponse, ToolCall, TranscriptMessage } from '../../../src/core/state/conversation.ts';
import { type Model, ModelError } from '../../../src/core/step/model-port.ts';
import type { CaseFixture } from '../world/fixture.ts';
import type { Random } from '../world/random.ts';
import { listBotComments, readFullTree, type SimulatedGitHub, snapshotPull } from '../world/simulated-github.ts';
import { type Draft, type DraftContext, drawChange, drawDraft, drawIdle, writeArguments } from './hostile-calls.ts';
import { aimPayload, PAYLOADS } from './payloads.ts';
import type { Witness } from './witness.ts';

/** How a model behaves for a whole case. */
type Temper = {
  /** The chance that a response has no call, which can end the run. */
  readonly endChance: number;
  readonly maxCalls: number;
  readonly draw: (context: DraftContext) => Draft;
  /** It makes the same call again and again, also if people denied it. */
  readonly insists: boolean;
};

const TEMPERS: readonly Temper[] = [
  { endChance: 0.1, maxCalls: 5, draw: drawDraft, insists: false },
  { endChance: 0.02, maxCalls: 2, draw: drawDraft, insists: false },
  { endChance: 0.1, maxCalls: 3, draw: drawChange, insists: false },
  { endChance: 0.02, maxCalls: 2, draw: drawDraft, insists: true },
  { endChance: 0, maxCalls: 1, draw: drawIdle, insists: false },
  { endChance: 0.05, maxCalls: 60, draw: drawDraft, insists: false },
];

/** The responses after which every model lets runs end, so that a case has an end. */
const MAX_RESPONSES = 90;

const FINISH_REASONS = ['stop', 'tool_calls', 'tool_calls', 'tool_calls', 'length', 'content_filter', 'evil'] as const;

const TOKEN_USAGE = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 };

const NO_DIGEST = 'f'.repeat(64);

const SHOWN_CHANGE = /^<!-- countersign:(?:proposal|question):([a-z0-9]+) -->/;

const SHOWN_DIGEST = /\b[0-9a-f]{64}\b/;

/** A payload about a change that the page shows, if it shows one. */
export function drawPayload(simulatedGitHub: SimulatedGitHub, fixture: CaseFixture, random: Random): string {
  const shown = listBotComments(snapshotPull(simulatedGitHub, fixture), fixture).flatMap(({ body }) => {
    const id = SHOWN_CHANGE.exec(body)?.[1];
    return id === undefined ? [] : [{ id, digest: SHOWN_DIGEST.exec(body)?.[0] ?? NO_DIGEST }];
  });
  return aimPayload(random.pick(PAYLOADS), shown.length === 0 ? { id: 'p1', digest: NO_DIGEST } : random.pick(shown));
}

/** A model that tries everything to write without approval, to read denied files, and to break the run. */
export function createHostileModel(
  simulatedGitHub: SimulatedGitHub,
  fixture: CaseFixture,
  random: Random,
  witness: Witness,
): Model {
  const temper = random.pick(TEMPERS);
  let calls = 0;
  let last: ToolCall | null = null;
  const context: DraftContext = {
    random,
    text: () => drawPayload(simulatedGitHub, fixture, random),
    textOf: (path) => {
      const { state, pull } = snapshotPull(simulatedGitHub, fixture);
      return readBlobText(state.store, readFullTree(state.store, pull.head.sha).get(path)?.sha);
    },
  };
  const createCall = (): ToolCall => {
    calls += 1;
    const [name, input] = temper.draw(context);
    const id = random.chance(0.05) ? random.pick(['', 'call-1', context.text(), '../call']) : `call-${calls}`;
    const call = { id, name, arguments: writeArguments(input, random) };
    last = temper.insists && last !== null && random.chance(0.6) ? { ...last, id } : call;
    return last;
  };
  const respond = (messages: readonly TranscriptMessage[], endChance: number): ModelResponse => {
    const requests = witness.onRequest(messages);
    if (random.chance(0.01)) throw new ModelError('permanent', context.text(), null);
    const isEnd = random.chance(endChance) || requests > MAX_RESPONSES;
    const toolCalls = isEnd ? [] : distinctCalls(random.integer(temper.maxCalls) + 1, createCall);
    return {
      content: random.pick([null, '', context.text(), 'Now I will edit it:', 'Done.']),
      toolCalls,
      finishReason: random.chance(0.1) ? random.pick(FINISH_REASONS) : 'tool_calls',
      usage: TOKEN_USAGE,
    };
  };
  return {
    ask: async (messages) => respond(messages, temper.endChance),
    answerQuestion: async (messages) => respond(messages, 0.3),
    maxRequestTokens: async () => null,
  };
}

/** The adapter of the model refuses a response in which two calls have one id. */
function distinctCalls(count: number, createCall: () => ToolCall): readonly ToolCall[] {
  return [...new Map(Array.from({ length: count }, createCall).map((call) => [call.id, call])).values()];
}
