/** A form that a path or a glob must have, and what it asks for. */
type PathForm = { readonly form: RegExp; readonly error: string };

const ROOTED = /^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))[^\\]*$/;

const NO_OUTER_SPACE = /^(?! )(?!.* $)/;

const NO_EMPTY_PART = /^(?!.*\/(?:\/|$))/;

/**
 * Signs that other tools know and these globs do not are a problem: they would match no file, and a rule that silently
 * covers nothing protects nothing. `[` is none, because names such as `[id].tsx` are common.
 */
export const PATH_FORMS: Readonly<Record<'path' | 'glob', readonly PathForm[]>> = {
  path: [
    { form: ROOTED, error: 'a path from the root of the repository, without a leading slash, .. or backslash' },
    { form: NO_OUTER_SPACE, error: 'a path without a space at its start or end' },
    { form: NO_EMPTY_PART, error: 'the path of a file, without // or a slash at its end' },
    { form: /^[^*?]*$/, error: 'the path of one file, without * and ?' },
  ],
  glob: [
    { form: ROOTED, error: 'a glob from the root of the repository, without a leading slash, .. or backslash' },
    { form: NO_OUTER_SPACE, error: 'a glob without a space at its start or end' },
    { form: NO_EMPTY_PART, error: 'a glob without // or a slash at its end: dir/** stands for all files below dir' },
    { form: /^(?!!)/, error: 'a glob without a leading !, because globs only add files' },
    { form: /^(?!.*\{[^{}]*,)/, error: 'a glob without {a,b}: write one for each' },
    {
      form: /^(?!.*(?:[^/]\*\*|\*\*[^/]))/,
      error: 'a glob with ** only between slashes, such as src/** or **/*.pem',
    },
  ],
};
