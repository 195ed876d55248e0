/** How much one rendering may evaluate: nodes, calls, and a share of every byte that a function touches. */
export const templateStepsMax = 100_000;

/** UTF-8 bytes that one template may give, and the length of every text on the way there. */
export const templateOutputBytesMax = 1_048_576;

/** Blocks and parentheses inside one another. */
export const templateNestingMax = 100;

/** Objects and lists inside one another in a value that holds templates, or that a template prints. */
export const templateValueNestingMax = 200;

/** Variables that are known at one place. */
export const templateVariablesMax = 1_000;
