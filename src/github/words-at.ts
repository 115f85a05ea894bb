import type { Place } from '../command/intent.ts';
import { GitHubFault } from '../worker/ports.ts';
import { type Connection, repositoryOf } from './connection.ts';

/** The words that anybody wrote at this place, as they stand now; null where they are gone. One request. */
export async function wordsAt({ ref, read }: Pick<Connection, 'ref' | 'read'>, place: Place): Promise<string | null> {
  const here = repositoryOf(ref);
  try {
    return await read(async (client) => {
      switch (place.at) {
        case 'conversation': {
          const at = { ...here, comment_id: place.commentId };
          return (await client.request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', at)).data.body ?? '';
        }
        case 'thread': {
          const at = { ...here, comment_id: place.commentId };
          return (await client.request('GET /repos/{owner}/{repo}/pulls/comments/{comment_id}', at)).data.body;
        }
        case 'review': {
          const at = { ...here, pull_number: ref.number, review_id: place.reviewId };
          return (await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', at)).data
            .body;
        }
      }
    });
  } catch (error) {
    if (error instanceof GitHubFault && error.status === 404) return null;
    throw error;
  }
}
