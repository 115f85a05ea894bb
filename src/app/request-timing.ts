import type { GitHubAppClient } from '../adapters/github/create-github.ts';
import { DURATIONS } from '../adapters/telemetry/metric-definitions.ts';
import type { Metrics, Timer } from '../adapters/telemetry/metrics.ts';
import type { Model } from '../core/state/ports.ts';

/** Measures the duration of each model request. */
export function timedModel(model: Model, metrics: Metrics): Model {
  const timer = metrics.timer(DURATIONS.modelRequests);
  return {
    ask: (messages, signal) => timed(timer, model.ask(messages, signal), () => 'done'),
    askForText: (messages, signal) => timed(timer, model.askForText(messages, signal), () => 'done'),
  };
}

/** Measures the duration of each commit. */
export function timedCommits(githubs: GitHubAppClient, metrics: Metrics): GitHubAppClient {
  const timer = metrics.timer(DURATIONS.commits);
  return {
    ...githubs,
    forPull(...about) {
      const github = githubs.forPull(...about);
      return { ...github, commit: (plan) => timed(timer, github.commit(plan), ({ kind }) => kind) };
    },
  };
}

async function timed<Answer>(
  timer: Timer<'outcome'>,
  work: Promise<Answer>,
  outcomeOf: (answer: Answer) => string,
): Promise<Answer> {
  const stop = timer.startTimer();
  try {
    const answer = await work;
    stop({ outcome: outcomeOf(answer) });
    return answer;
  } catch (error) {
    stop({ outcome: 'failed' });
    throw error;
  }
}
