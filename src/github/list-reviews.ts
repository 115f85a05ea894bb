import { allPages, PAGE_SIZE } from './all-pages.ts';
import { type Connection, repositoryOf } from './connection.ts';

/** Anybody's review as GitHub lists it, as far as we read it. */
export type ListedReview = {
  readonly id: number | bigint;
  readonly state: string;
  readonly html_url: string;
  readonly body: string;
  readonly user: { readonly id: number | bigint } | null;
};

/** All reviews of the pull request, oldest first. */
export function listReviews({ ref, read }: Connection): Promise<readonly ListedReview[]> {
  return read((client) =>
    allPages<ListedReview>((page) =>
      client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
        ...repositoryOf(ref),
        pull_number: ref.number,
        per_page: PAGE_SIZE,
        page,
      }),
    ),
  );
}
