import { type GitHubError, means } from './ports.ts';

/** Asks for several things, of which GitHub can fail to find some for the first time. */
export type Doubts = {
  /** The answer; null while it is doubtful whether the thing exists. Rejects with every other error. */
  ask<Answer>(answer: Promise<Answer>): Promise<Answer | null>;
  /** Throws the newest doubt, so that the next attempt can tell all of them. */
  settle(): void;
};

/** Puts doubts off until everything was asked for: then all of them need one wait, and not one each. */
export function createDoubts(): Doubts {
  let newest: GitHubError | null = null;
  return {
    async ask(answer) {
      try {
        return await answer;
      } catch (error) {
        if (!means(error, 'try-again') || error.status !== 404) throw error;
        newest = error;
        return null;
      }
    },
    settle() {
      if (newest !== null) throw newest;
    },
  };
}
