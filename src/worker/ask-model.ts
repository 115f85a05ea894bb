import { checkTranscript } from '../prompt/transcript.ts';
import { activeRun } from '../run/run.ts';
import { isLasting, retryTime, wordsOf } from './backoff.ts';
import { DONE, type Job, type Outcome, pullOf } from './job.ts';
import { ModelFault } from './ports.ts';

/** Requests for one response before it is given up. */
const TRIES = 5;

/** Sends the transcript. A model that stays away or answers nothing usable ends the run with a message. */
export async function askModel(job: Job<'ask-model'>): Promise<Outcome> {
  const { context, effect, stopping } = job;
  const pull = await pullOf(job);
  const run = activeRun(pull);
  if (run === null || run.id !== effect.runId || run.phase.kind !== 'thinking' || run.phase.turn !== effect.turn)
    return DONE;
  const messages = await context.store.transcript(effect.runId);
  const problems = checkTranscript(messages);
  if (problems.length > 0) return fail(job, `its transcript is broken (${problems.length} problems)`);
  try {
    const reply = await context.model.ask(messages, stopping);
    return { kind: 'done', signal: { type: 'model-replied', runId: effect.runId, turn: effect.turn, reply } };
  } catch (error) {
    return faultOutcome(job, error, (message) => fail(job, message));
  }
}

/** A fault of the model: asked again a little later, or, where that is no use any more, whatever giving up comes to. */
export function faultOutcome(
  job: Pick<Job, 'context' | 'stopping' | 'attempts'>,
  error: unknown,
  giveUp: (message: string) => Outcome,
): Outcome {
  if (!(error instanceof ModelFault) || job.stopping.aborted) throw error;
  if (isLasting(error) || job.attempts >= TRIES) return giveUp(error.message);
  return { kind: 'again', at: retryTime(job.context.clock.now(), job.attempts, error), error: wordsOf(error) };
}

function fail({ effect }: Job<'ask-model'>, message: string): Outcome {
  return { kind: 'done', signal: { type: 'model-failed', runId: effect.runId, turn: effect.turn, message } };
}
