import type { Sha } from '../git/objects.ts';
import type {
  FakeAccount,
  FakeApp,
  FakeCheckRun,
  FakeCheckSuite,
  FakeCommitStatus,
  FakeInstallation,
  FakeIssue,
  FakeIssueComment,
  FakePullRequest,
  FakeReaction,
  FakeRepository,
  FakeReview,
  FakeReviewComment,
  FakeReviewThread,
} from '../state/github-state.ts';
import type { Operation } from '../state/operation.ts';
import {
  acceptPermissions,
  addAccount,
  addApp,
  changeApp,
  installApp,
  removeFromInstallation,
  renameAccount,
  suspendApp,
  uninstallApp,
} from './accounts.ts';
import { closeCheckSuite, createCheckRun, createCommitStatus, openCheckSuite, updateCheckRun } from './checks.ts';
import {
  createIssueComment,
  deleteIssueComment,
  editIssueComment,
  minimizeComment,
  reactToIssueComment,
  reactToReviewComment,
} from './comments.ts';
import { createCommitOnBranch, createGitBlob, createGitCommit, createGitTree, pushFiles } from './git-data.ts';
import type * as Input from './inputs.ts';
import { addLabel, createLabel, removeLabel } from './labels.ts';
import {
  closePullRequest,
  createPullRequest,
  editPullRequest,
  lockPullRequest,
  mergePullRequest,
  reopenPullRequest,
  setPullRequestDraft,
} from './pull-requests.ts';
import { createGitRef, deleteGitRef, updateGitRef } from './refs.ts';
import {
  addRepository,
  addRuleset,
  forkRepository,
  openIssue,
  renameRepository,
  setPermission,
  setTeam,
  transferRepository,
} from './repositories.ts';
import { pressCheckButton, requestMergeGroupChecks } from './requested-checks.ts';
import {
  createReviewComment,
  deleteReviewComment,
  editReviewComment,
  replyToReviewComment,
} from './review-comments.ts';
import { resolveReviewThread, unresolveReviewThread } from './review-threads.ts';
import {
  createPullRequestReview,
  deletePendingReview,
  dismissPullRequestReview,
  editPullRequestReview,
  submitPullRequestReview,
} from './reviews.ts';

/** Every operation, with the types of its input and its value. */
export type Operations = {
  readonly addAccount: Operation<Input.AddAccountInput, FakeAccount>;
  readonly renameAccount: Operation<Input.RenameAccountInput, FakeAccount>;
  readonly addApp: Operation<Input.AddAppInput, FakeApp>;
  readonly changeApp: Operation<Input.ChangeAppInput, FakeApp>;
  readonly installApp: Operation<Input.InstallAppInput, FakeInstallation>;
  readonly uninstallApp: Operation<Input.UninstallAppInput, null>;
  readonly suspendApp: Operation<Input.SuspendAppInput, FakeInstallation>;
  readonly acceptPermissions: Operation<Input.AcceptPermissionsInput, FakeInstallation>;
  readonly removeFromInstallation: Operation<Input.RemoveFromInstallationInput, FakeInstallation>;
  readonly addRepository: Operation<Input.AddRepositoryInput, FakeRepository>;
  readonly forkRepository: Operation<Input.ForkRepositoryInput, FakeRepository>;
  readonly renameRepository: Operation<Input.RenameRepositoryInput, FakeRepository>;
  readonly transferRepository: Operation<Input.TransferRepositoryInput, FakeRepository>;
  readonly setPermission: Operation<Input.SetPermissionInput, null>;
  readonly setTeam: Operation<Input.SetTeamInput, null>;
  readonly addRuleset: Operation<Input.AddRulesetInput, null>;

  readonly openIssue: Operation<Input.OpenIssueInput, FakeIssue>;
  readonly createPullRequest: Operation<Input.CreatePullRequestInput, FakePullRequest>;
  readonly editPullRequest: Operation<Input.EditPullRequestInput, FakePullRequest>;
  readonly closePullRequest: Operation<Input.PullTarget, FakePullRequest>;
  readonly reopenPullRequest: Operation<Input.PullTarget, FakePullRequest>;
  readonly mergePullRequest: Operation<Input.MergePullRequestInput, FakePullRequest>;
  readonly lockPullRequest: Operation<Input.PullTarget & { readonly locked: boolean }, FakePullRequest>;
  readonly setPullRequestDraft: Operation<Input.PullTarget & { readonly draft: boolean }, FakePullRequest>;

  readonly createIssueComment: Operation<Input.CreateIssueCommentInput, FakeIssueComment>;
  readonly editIssueComment: Operation<Input.EditCommentInput, FakeIssueComment>;
  readonly deleteIssueComment: Operation<Input.CommentTarget, null>;
  readonly minimizeComment: Operation<Input.CommentTarget, null>;

  readonly createPullRequestReview: Operation<Input.CreateReviewInput, FakeReview>;
  readonly submitPullRequestReview: Operation<Input.SubmitReviewInput, FakeReview>;
  readonly editPullRequestReview: Operation<Input.EditReviewInput, FakeReview>;
  readonly dismissPullRequestReview: Operation<Input.DismissReviewInput, FakeReview>;
  readonly deletePendingReview: Operation<Input.ReviewTarget, FakeReview>;

  readonly createReviewComment: Operation<Input.CreateReviewCommentInput, FakeReviewComment>;
  readonly replyToReviewComment: Operation<Input.ReplyToReviewCommentInput, FakeReviewComment>;
  readonly editReviewComment: Operation<Input.EditCommentInput, FakeReviewComment>;
  readonly deleteReviewComment: Operation<Input.CommentTarget, null>;
  readonly resolveReviewThread: Operation<Input.ThreadTarget, FakeReviewThread>;
  readonly unresolveReviewThread: Operation<Input.ThreadTarget, FakeReviewThread>;

  readonly reactToIssueComment: Operation<Input.AddReactionInput, FakeReaction>;
  readonly reactToReviewComment: Operation<Input.AddReactionInput, FakeReaction>;

  readonly openCheckSuite: Operation<Input.OpenCheckSuiteInput, FakeCheckSuite>;
  readonly closeCheckSuite: Operation<Input.CloseCheckSuiteInput, FakeCheckSuite>;
  readonly createCheckRun: Operation<Input.CreateCheckRunInput, FakeCheckRun>;
  readonly updateCheckRun: Operation<Input.UpdateCheckRunInput, FakeCheckRun>;
  readonly pressCheckButton: Operation<Input.PressCheckButtonInput, null>;
  readonly requestMergeGroupChecks: Operation<Input.PullTarget, Sha>;
  readonly addLabel: typeof addLabel;
  readonly removeLabel: typeof removeLabel;
  readonly createLabel: typeof createLabel;
  readonly createCommitStatus: Operation<Input.CreateCommitStatusInput, FakeCommitStatus>;

  readonly createGitBlob: Operation<Input.CreateBlobInput, Sha>;
  readonly createGitTree: Operation<Input.CreateTreeInput, Sha>;
  readonly createGitCommit: Operation<Input.CreateCommitInput, Sha>;
  readonly createGitRef: Operation<Input.CreateRefInput, Sha>;
  readonly updateGitRef: Operation<Input.UpdateRefInput, Sha>;
  readonly deleteGitRef: Operation<Input.DeleteRefInput, null>;
  readonly createCommitOnBranch: Operation<Input.CreateCommitOnBranchInput, Sha>;
  readonly pushFiles: Operation<Input.PushFilesInput, Sha>;
};

/** The implementation of every operation. */
export const OPERATIONS: Operations = {
  addAccount,
  renameAccount,
  addApp,
  changeApp,
  installApp,
  uninstallApp,
  suspendApp,
  acceptPermissions,
  removeFromInstallation,
  addRepository,
  forkRepository,
  renameRepository,
  transferRepository,
  setPermission,
  setTeam,
  addRuleset,
  openIssue,
  createPullRequest,
  editPullRequest,
  closePullRequest,
  reopenPullRequest,
  mergePullRequest,
  lockPullRequest,
  setPullRequestDraft,
  createIssueComment,
  editIssueComment,
  deleteIssueComment,
  minimizeComment,
  createPullRequestReview,
  submitPullRequestReview,
  editPullRequestReview,
  dismissPullRequestReview,
  deletePendingReview,
  createReviewComment,
  replyToReviewComment,
  editReviewComment,
  deleteReviewComment,
  resolveReviewThread,
  unresolveReviewThread,
  reactToIssueComment,
  reactToReviewComment,
  openCheckSuite,
  closeCheckSuite,
  createCheckRun,
  updateCheckRun,
  pressCheckButton,
  requestMergeGroupChecks,
  addLabel,
  removeLabel,
  createLabel,
  createCommitStatus,
  createGitBlob,
  createGitTree,
  createGitCommit,
  createGitRef,
  updateGitRef,
  deleteGitRef,
  createCommitOnBranch,
  pushFiles,
};
