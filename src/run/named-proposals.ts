/** Proposals to be read of a pull request, beyond those that are open or belong to its current run. */
export type NamedProposals = {
  readonly ids: readonly string[];
  /** Those whose thread begins with this comment. */
  readonly commentId: number | null;
};

export const NONE_NAMED: NamedProposals = { ids: [], commentId: null };
