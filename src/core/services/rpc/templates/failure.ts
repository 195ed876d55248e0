/** Why a template cannot be read or rendered. Thrown inside this folder only; `parseTemplate` and `renderTemplate` catch it. */
export class TemplateFailure extends Error {
  override readonly name = 'TemplateFailure';
  /** An offset into the source; whoever knows it better says so. */
  readonly at: number | undefined;
  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}
