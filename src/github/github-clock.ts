import type { GitHubClient } from './octokit.ts';

/**
 * By how many ms GitHub's clock is ahead of ours, at the least and at the most; 0 and 0 where they agree as far as
 * anybody can tell.
 */
export type Ahead = { readonly least: number; readonly most: number };

/** What GitHub's answers tell of its clock, so that a host whose own goes wrong decides nothing else than any other. */
export type GitHubClock = {
  /** Takes the time that an answer names, with when it was asked for and when it came (ms by our clock). */
  readonly hear: (date: unknown, asked: number, answered: number) => void;
  readonly ahead: () => Ahead;
};

const AGREED: Ahead = { least: 0, most: 0 };
/** The header names whole seconds. */
const SECOND_MS = 1000;

export function openGitHubClock(): GitHubClock {
  let known: Ahead | null = null;
  return {
    hear: (date, asked, answered) => {
      const told = typeof date === 'string' ? Date.parse(date) : Number.NaN;
      if (!Number.isNaN(told)) known = narrowed(known, { least: told - answered, most: told + SECOND_MS - asked });
    },
    ahead: () => (known === null || (known.least <= 0 && known.most >= 0) ? AGREED : known),
  };
}

/** Both hold, unless somebody has set a clock meanwhile: then the newer one does. */
function narrowed(known: Ahead | null, heard: Ahead): Ahead {
  if (known === null || heard.least > known.most || heard.most < known.least) return heard;
  return { least: Math.max(known.least, heard.least), most: Math.min(known.most, heard.most) };
}

/** Lets the clock hear every answer that this client gets. */
export function listening(client: GitHubClient, clock: GitHubClock, now: () => number): GitHubClient {
  client.hook.wrap('request', async (request, given) => {
    const asked = now();
    const response = await request(given);
    clock.hear(response.headers.date, asked, now());
    return response;
  });
  return client;
}
