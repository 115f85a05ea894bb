import { questionTranscript } from '../prompt/question.ts';
import { checkTranscript } from '../prompt/transcript.ts';
import type { Said } from '../run/signal.ts';
import { faultOutcome } from './ask-model.ts';
import { type Job, type Outcome, pullOf } from './job.ts';

/** Puts a person's question to the model, on a copy of the run's transcript and without tools. */
export async function askQuestion(job: Job<'ask-question'>): Promise<Outcome> {
  const { context, effect, stopping } = job;
  const { question } = effect;
  const pull = await pullOf(job);
  const run = pull.run?.id === question.runId ? pull.run : null;
  const messages = questionTranscript(await context.store.transcript(question.runId), run, question);
  if (checkTranscript(messages).length > 0)
    return answered(job, { kind: 'failed', message: 'Its transcript is broken.' });
  try {
    const { content, usage } = await context.model.askForWords(messages, stopping);
    return answered(job, { kind: 'words', content, usage });
  } catch (error) {
    return faultOutcome(job, error, (message) => answered(job, { kind: 'failed', message }));
  }
}

function answered({ effect }: Job<'ask-question'>, said: Said): Outcome {
  return { kind: 'done', signal: { type: 'question-answered', question: effect.question, said } };
}
