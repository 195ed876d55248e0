export interface TemplateFunction {
  readonly name: string;
}
