/** What is open is loaded with its pull request, whichever run it belongs to. */
export const OPEN_PROPOSALS = [
  `create index open_proposals on proposals (pull_key) where state in ('proposed', 'approved', 'executing')`,
] as const;
