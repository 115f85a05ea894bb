import { noteMessage } from '../prompt/notes.ts';
import { repeatedCallIds } from '../prompt/transcript.ts';
import { nextTurn } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withEffects, withMessages, withRun } from './draft.ts';
import { endRun } from './end-run.ts';
import type { Facts } from './facts.ts';
import { activeRun, type Batch, type Pull, type Run } from './run.ts';
import type { Signal } from './signal.ts';
import type { Step } from './step.ts';

type Replied = Extract<Signal, { type: 'model-replied' }>;
type Failed = Extract<Signal, { type: 'model-failed' }>;

/** The run while it still waits for this very response; a late one changes nothing. */
function thinkingAbout(pull: Pull, signal: Replied | Failed): Run | null {
  const run = activeRun(pull);
  const current =
    run !== null && run.id === signal.runId && run.phase.kind === 'thinking' && run.phase.turn === signal.turn;
  return current ? run : null;
}

/** The model answered: its calls go to the tools; without calls the run is finished, unless somebody has spoken since. */
export function onModelReplied(pull: Pull, signal: Replied, facts: Facts): Step {
  const run = thinkingAbout(pull, signal);
  if (run === null) return ignore(pull, 'outdated-outcome');
  const { reply } = signal;
  if (repeatedCallIds(reply.calls).length > 0) {
    return failed(pull, 'it gave the same id to two of its calls', facts);
  }
  const said = withMessages(counted(draftOf(pull), run, signal), {
    role: 'assistant',
    content: reply.content,
    calls: reply.calls,
  });
  return reply.calls.length > 0 ? useTools(said, run, signal) : answeredInWords(said, run, signal, facts);
}

function counted(draft: Draft, run: Run, signal: Replied): Draft {
  const { usage } = signal.reply;
  return withRun(draft, {
    turns: signal.turn,
    usage: {
      input: run.usage.input + usage.input,
      cachedInput: run.usage.cachedInput + usage.cachedInput,
      output: run.usage.output + usage.output,
    },
  });
}

function useTools(draft: Draft, run: Run, signal: Replied): Step {
  const { turn, reply } = signal;
  const batch: Batch = {
    turn,
    text: reply.content,
    calls: reply.calls.map((call) => ({ call, status: { kind: 'using' } })),
    continued: false,
  };
  const acting = withRun(draft, { phase: { kind: 'using-tools', turn }, batch });
  return finish(withEffects(acting, { type: 'use-tools', runId: run.id, turn, calls: reply.calls }), 'tools-asked');
}

function answeredInWords(draft: Draft, run: Run, signal: Replied, facts: Facts): Step {
  if (run.notes.length > 0) {
    const heard = withRun(withMessages(draft, ...run.notes.map(noteMessage)), { notes: [] });
    return finish(nextTurn(heard, facts.now), 'tools-asked');
  }
  const closing = withRun(draft, { summary: signal.reply.content });
  const cut = CUT_SHORT.get(signal.reply.finishReason);
  if (cut === undefined)
    return finish(endRun(closing, { how: 'finished', by: null, note: null }, facts.now), 'run-finished');
  return finish(endRun(closing, { how: 'model-failed', by: null, note: cut }, facts.now), 'model-failed');
}

/** Closing words that the endpoint did not let end are no sign that the work is done. */
const CUT_SHORT: ReadonlyMap<string, string> = new Map([
  ['length', 'The answer was cut off, because it reached the length limit of the model endpoint.'],
  ['content_filter', 'The answer was withheld by the content filter of the model endpoint.'],
]);

export function onModelFailed(pull: Pull, signal: Failed, facts: Facts): Step {
  return thinkingAbout(pull, signal) === null ? ignore(pull, 'outdated-outcome') : failed(pull, signal.message, facts);
}

function failed(pull: Pull, message: string, facts: Facts): Step {
  return finish(endRun(draftOf(pull), { how: 'model-failed', by: null, note: message }, facts.now), 'model-failed');
}
