import { unreachable } from '../../../kernel/unreachable.ts';
import type { TemplateData, TemplateEnvironment } from './data.ts';
import { evaluatePipe, type Frame } from './evaluate.ts';
import { TemplateFailure } from './failure.ts';
import { printed } from './print.ts';
import { rangeItems } from './range.ts';
import { Rendering } from './rendering.ts';
import type { Body, Node, RangeNode, Template } from './template.ts';
import { TextSink, fitsOutput, tooLong } from './text-sink.ts';
import { excerpt, isTrue, Root, type Value } from './values.ts';

export type RenderedTemplate =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** Never throws: `problem` names the template, the place and the reason. */
export function renderTemplate(
  template: Template,
  data: TemplateData,
  environment: TemplateEnvironment,
): RenderedTemplate {
  const rendering = new Rendering(data, environment);
  try {
    return { ok: true, text: render(template, data, rendering) };
  } catch (error) {
    const at = error instanceof TemplateFailure ? (error.at ?? rendering.at) : rendering.at;
    // Whatever else goes wrong in here must not take the process along; its message may differ between engines.
    const reason = error instanceof TemplateFailure ? error.message : 'it could not be evaluated';
    return { ok: false, problem: `template ${excerpt(template.source)} at offset ${at}: ${reason}` };
  }
}

function render(template: Template, data: TemplateData, rendering: Rendering): string {
  const root = new Root(data);
  const slots: Value[] = [root];
  const sink = new TextSink();
  renderBody(template.body, root, { rendering, slots }, sink);
  if (!fitsOutput(sink.text)) throw tooLong();
  return sink.text;
}

/** How a body ended; a jump is on its way to the range around it. */
type Ending = 'end' | 'break' | 'continue';

function renderBody(body: Body, dot: Value, frame: Frame, sink: TextSink): Ending {
  for (const node of body) {
    const ending = renderNode(node, dot, frame, sink);
    if (ending !== 'end') return ending;
  }
  return 'end';
}

function renderNode(node: Node, dot: Value, frame: Frame, sink: TextSink): Ending {
  switch (node.kind) {
    case 'text':
      frame.rendering.charge(1);
      sink.add(node.text);
      return 'end';
    case 'print':
      printValue(evaluatePipe(node.pipe, dot, frame), sink);
      return 'end';
    case 'assign':
      evaluatePipe(node.pipe, dot, frame);
      return 'end';
    case 'if': {
      const chosen = isTrue(evaluatePipe(node.pipe, dot, frame)) ? node.body : node.otherwise;
      return renderBody(chosen, dot, frame, sink);
    }
    case 'with': {
      const value = evaluatePipe(node.pipe, dot, frame);
      if (isTrue(value)) return renderBody(node.body, value, frame, sink);
      return renderBody(node.otherwise, dot, frame, sink);
    }
    case 'range':
      return renderRange(node, dot, frame, sink);
    case 'break':
    case 'continue':
      return node.kind;
    default:
      return unreachable(node);
  }
}

function printValue(value: Value, sink: TextSink): void {
  sink.add(value === null ? '<no value>' : printed(value));
}

function renderRange(node: RangeNode, dot: Value, frame: Frame, sink: TextSink): Ending {
  const { rendering, slots } = frame;
  const collection = evaluatePipe(node.pipe, dot, frame);
  rendering.at = node.at;
  let isEmpty = true;
  for (const [key, element] of rangeItems(collection, node.key !== undefined)) {
    isEmpty = false;
    rendering.charge(1);
    if (node.key !== undefined) slots[node.key] = key;
    if (node.element !== undefined) slots[node.element] = element;
    if (renderBody(node.body, element, frame, sink) === 'break') break;
  }
  return isEmpty ? renderBody(node.otherwise, dot, frame, sink) : 'end';
}
