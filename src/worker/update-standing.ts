import type { PostedComment } from '../run/proposal.ts';
import { type GitHub, GitHubFault } from './ports.ts';

/** Writes a comment of ours anew; null where somebody has deleted it. */
export async function updateStanding(
  github: GitHub,
  comment: PostedComment,
  body: string,
): Promise<Awaited<ReturnType<GitHub['updateComment']>> | null> {
  try {
    return await github.updateComment(comment, body);
  } catch (error) {
    if (error instanceof GitHubFault && (error.status === 404 || error.status === 410)) return null;
    throw error;
  }
}
