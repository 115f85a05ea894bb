import { planRequest } from '../../src/core/agent/clear-readings.ts';
import type { TranscriptMessage } from '../../src/core/state/conversation.ts';
import { type ModelContext, NEW_MODEL_CONTEXT } from '../../src/core/state/model-context.ts';
import { type BenchmarkRow, measureMs } from './measure.ts';

/** A usual size of a context, in tokens. */
const CONTEXT_TOKENS = 128_000;

const RESPONSES = 500;

const READING = 'const total = price(order, currency); // one of many lines\n'.repeat(140);

const CONTENT = 'export const row = 1;\n'.repeat(10_000);

/** A response that reads 8 kB. Each twentieth proposes a file of 210 kB instead, which is never cleared. */
function turn(index: number, proposes: boolean): readonly TranscriptMessage[] {
  const id = `call-${index}`;
  const call = proposes
    ? { id, name: 'write_file', arguments: JSON.stringify({ path: `src/${index}.ts`, content: CONTENT }) }
    : { id, name: 'read_file', arguments: JSON.stringify({ path: `src/${index}.ts` }) };
  return [
    { role: 'assistant', content: null, toolCalls: [call] },
    { role: 'tool', toolCallId: id, content: proposes ? 'Denied.' : READING },
  ];
}

const OPENING: readonly TranscriptMessage[] = [
  { role: 'system', content: READING },
  { role: 'user', content: READING.repeat(4) },
];

/** The number of requests that do not begin with the one before, because readings were cleared. */
function countClearings(): number {
  let context: ModelContext = NEW_MODEL_CONTEXT;
  let messages = OPENING;
  let clearings = 0;
  for (let index = 0; index < RESPONSES; index += 1) {
    const plan = planRequest(messages, context, CONTEXT_TOKENS);
    if (plan.kind === 'clear') {
      context = plan.modelContext;
      clearings += 1;
    }
    messages = [...messages, ...turn(index, false)];
  }
  return clearings;
}

const LONGEST = [...OPENING, ...Array.from({ length: RESPONSES }, (_, index) => turn(index, index % 20 === 0)).flat()];

/** Cost of the room that the model's context has, which every request to the model is planned with. */
export const CONTEXT_ROWS: readonly BenchmarkRow[] = [
  {
    name: `clearings in ${RESPONSES} responses that read 8 kB each, with a context of 128,000 tokens (S169, goal: at most 25)`,
    unit: 'times',
    sample: countClearings,
  },
  {
    name: `plan of a request after ${RESPONSES} responses, 9 MB, which clears most readings (S169, goal: 50)`,
    unit: 'ms',
    sample: () => measureMs(() => void planRequest(LONGEST, NEW_MODEL_CONTEXT, CONTEXT_TOKENS)),
  },
];
