/** A proposal is found by the threads of its comments that are gone, too. Proposals of before know none of them. */
export const FORMER_COMMENTS = [
  `alter table proposals add column former_comment_ids bigint[]`,
  `create index proposals_by_former_comments on proposals (pull_key) where former_comment_ids is not null`,
  // The body is JSON as text: it may hold what the database's own JSON type refuses.
  `update proposals set body = '{"formerThreads":[],' || substr(body, 2)`,
] as const;
