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
export function timedCommits(githubApp: GitHubAppClient, metrics: Metrics): GitHubAppClient {
  const timer = metrics.timer(DURATIONS.commits);
  return {
    ...githubApp,
    forPull(...options) {
      const github = githubApp.forPull(...options);
      return { ...github, commit: (plan) => timed(timer, github.commit(plan), ({ kind }) => kind) };
    },
  };
}

async function timed<Result>(
  timer: Timer<'outcome'>,
  work: Promise<Result>,
  outcomeOf: (result: Result) => string,
): Promise<Result> {
  const stop = timer.startTimer();
  try {
    const result = await work;
    stop({ outcome: outcomeOf(result) });
    return result;
  } catch (error) {
    stop({ outcome: 'failed' });
    throw error;
  }
}
