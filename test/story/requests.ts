import type { Stage } from './stage.ts';

/** Only the clock begins it, whatever people do: the look for lost webhooks. */
const OF_ITSELF = 'GET /app/hook/deliveries';

/** Names of the requests that the App has made since there were `before` of them, but for what comes of itself. */
export function requestsSince({ github }: Stage, before: number): readonly string[] {
  return github.requests
    .slice(before)
    .map(({ name }) => name)
    .filter((name) => name !== OF_ITSELF);
}
