import type { Sha } from '../git/object-store.ts';
import {
  acceptPermissions,
  addAccount,
  addApp,
  installApp,
  removeFromInstallation,
  suspendApp,
  uninstallApp,
} from './accounts.ts';
import { createComment, deleteComment, editComment } from './comments.ts';
import { createCommitOnBranch } from './commit-on-branch.ts';
import { createBlob, createCommit, createTree } from './git-data.ts';
import type * as Input from './inputs.ts';
import { mergePull } from './merge-pull.ts';
import type { Operation } from './outcome.ts';
import { closePull, editPull, lockPull, openPull, reopenPull, setDraft } from './pulls.ts';
import { pushFiles } from './push-files.ts';
import { reactToComment, reactToReviewComment } from './reactions.ts';
import { createRef, deleteRef, updateRef } from './refs.ts';
import { addRepository, addRule, forkRepository, openIssue, renameRepository, setPermission } from './repositories.ts';
import {
  createReviewComment,
  deleteReviewComment,
  editReviewComment,
  replyToReviewComment,
} from './review-comments.ts';
import { createReview, deletePendingReview, dismissReview, editReview, submitReview } from './reviews.ts';
import type { Account, App, Installation, Issue, PullRequest, Repository } from './state.ts';
import type { IssueComment, Reaction, Review, ReviewComment, Thread } from './talk.ts';
import { resolveThread, unresolveThread } from './threads.ts';

/** A write that has nothing to give back. */
export type Nothing = null;

/** Every write on the world, with what it takes and what it gives back. */
export type Operations = {
  readonly addAccount: Operation<Input.AddAccount, Account>;
  readonly addApp: Operation<Input.AddApp, App>;
  readonly installApp: Operation<Input.InstallApp, Installation>;
  readonly uninstallApp: Operation<Input.UninstallApp, Nothing>;
  readonly suspendApp: Operation<Input.SuspendApp, Installation>;
  readonly acceptPermissions: Operation<Input.AcceptPermissions, Installation>;
  readonly removeFromInstallation: Operation<Input.RemoveFromInstallation, Installation>;
  readonly addRepository: Operation<Input.AddRepository, Repository>;
  readonly forkRepository: Operation<Input.ForkRepository, Repository>;
  readonly renameRepository: Operation<Input.RenameRepository, Repository>;
  readonly setPermission: Operation<Input.SetPermission, Nothing>;
  readonly addRule: Operation<Input.AddRule, Nothing>;

  readonly openIssue: Operation<Input.OpenIssue, Issue>;
  readonly openPull: Operation<Input.OpenPull, PullRequest>;
  readonly editPull: Operation<Input.EditPull, PullRequest>;
  readonly closePull: Operation<Input.OnPull, PullRequest>;
  readonly reopenPull: Operation<Input.OnPull, PullRequest>;
  readonly mergePull: Operation<Input.MergePull, PullRequest>;
  readonly lockPull: Operation<Input.OnPull & { readonly locked: boolean }, PullRequest>;
  readonly setDraft: Operation<Input.OnPull & { readonly draft: boolean }, PullRequest>;

  readonly createComment: Operation<Input.CreateComment, IssueComment>;
  readonly editComment: Operation<Input.EditComment, IssueComment>;
  readonly deleteComment: Operation<Input.OnComment, Nothing>;

  readonly createReview: Operation<Input.CreateReview, Review>;
  readonly submitReview: Operation<Input.SubmitReview, Review>;
  readonly editReview: Operation<Input.EditReview, Review>;
  readonly dismissReview: Operation<Input.DismissReview, Review>;
  readonly deletePendingReview: Operation<Input.OnReview, Review>;

  readonly createReviewComment: Operation<Input.CreateReviewComment, ReviewComment>;
  readonly replyToReviewComment: Operation<Input.ReplyToReviewComment, ReviewComment>;
  readonly editReviewComment: Operation<Input.EditComment, ReviewComment>;
  readonly deleteReviewComment: Operation<Input.OnComment, Nothing>;
  readonly resolveThread: Operation<Input.OnThread, Thread>;
  readonly unresolveThread: Operation<Input.OnThread, Thread>;

  readonly reactToComment: Operation<Input.React, Reaction>;
  readonly reactToReviewComment: Operation<Input.React, Reaction>;

  readonly createBlob: Operation<Input.CreateBlob, Sha>;
  readonly createTree: Operation<Input.CreateTree, Sha>;
  readonly createCommit: Operation<Input.CreateCommit, Sha>;
  readonly createRef: Operation<Input.CreateRef, Sha>;
  readonly updateRef: Operation<Input.UpdateRef, Sha>;
  readonly deleteRef: Operation<Input.DeleteRef, Nothing>;
  readonly createCommitOnBranch: Operation<Input.CreateCommitOnBranch, Sha>;
  readonly pushFiles: Operation<Input.PushFiles, Sha>;
};

/** The operations themselves, for callers that pick one by name. */
export const OPERATIONS: Operations = {
  addAccount,
  addApp,
  installApp,
  uninstallApp,
  suspendApp,
  acceptPermissions,
  removeFromInstallation,
  addRepository,
  forkRepository,
  renameRepository,
  setPermission,
  addRule,
  openIssue,
  openPull,
  editPull,
  closePull,
  reopenPull,
  mergePull,
  lockPull,
  setDraft,
  createComment,
  editComment,
  deleteComment,
  createReview,
  submitReview,
  editReview,
  dismissReview,
  deletePendingReview,
  createReviewComment,
  replyToReviewComment,
  editReviewComment,
  deleteReviewComment,
  resolveThread,
  unresolveThread,
  reactToComment,
  reactToReviewComment,
  createBlob,
  createTree,
  createCommit,
  createRef,
  updateRef,
  deleteRef,
  createCommitOnBranch,
  pushFiles,
};
