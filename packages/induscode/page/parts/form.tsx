import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { plain, Said } from "../text.tsx";
import { type Choice, type Field, type Member, NotJson, shown } from "./schema.ts";

interface FieldProps {
  readonly field: Field;
  readonly name: string;
  /** `options.limit`, for its problem. */
  readonly path: string;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly problems: { readonly [path: string]: string };
}

interface MembersProps extends Pick<FieldProps, "problems" | "onChange" | "path"> {
  readonly members: readonly Member[];
  readonly value: unknown;
}

/** The questions for the members of an object. A text that is left empty is not sent. */
export function Members({ members, value, onChange, problems, path }: MembersProps): JSX.Element {
  const object = (typeof value === "object" && value !== null ? value : {}) as {
    readonly [name: string]: unknown;
  };
  const set = (name: string, next: unknown): void => {
    const { [name]: _, ...others } = object;
    onChange(next === undefined ? others : { ...others, [name]: next });
  };
  return (
    <>
      {members.map(({ name, isRequired, field }) => (
        <FieldInput
          key={name}
          field={field}
          name={name}
          path={path === "" ? name : `${path}.${name}`}
          isRequired={isRequired}
          value={Object.hasOwn(object, name) ? object[name] : undefined}
          onChange={(next) => set(name, next)}
          problems={problems}
        />
      ))}
    </>
  );
}

function FieldInput(props: FieldProps): JSX.Element {
  const { field, name, path, isRequired, value, onChange, problems } = props;
  const id = useId();
  const problem = problems[path];
  const label = (
    <>
      <Said>{field.about.title ?? name}</Said>
      {isRequired && <span class="muted"> required</span>}
    </>
  );
  const notes = (
    <>
      {field.about.description !== undefined && (
        <span class="muted" id={`${id}-about`}>
          <Said lines>{field.about.description}</Said>
        </span>
      )}
      {problem !== undefined && (
        <span class="field-error" id={`${id}-problem`} role="alert">
          <Said>{`${field.about.title ?? name} ${problem}`}</Said>
        </span>
      )}
    </>
  );
  const described = [
    field.about.description !== undefined && `${id}-about`,
    problem !== undefined && `${id}-problem`,
  ]
    .filter(Boolean)
    .join(" ");
  const common = {
    id,
    "aria-describedby": described || undefined,
    "aria-invalid": problem !== undefined,
    "aria-required": isRequired,
  };
  const placeholder = field.about.example === undefined ? "" : plain(shown(field.about.example)).slice(0, 60);

  switch (field.kind) {
    case "group":
      return (
        <fieldset>
          <legend>{label}</legend>
          {notes}
          <Members
            members={field.members}
            value={value}
            onChange={onChange}
            problems={problems}
            path={path}
          />
        </fieldset>
      );
    case "list":
      return <ListInput {...props} field={field} label={label} notes={notes} />;
    case "choices":
      return (
        <ChoicesInput choices={field.choices} value={value} onChange={onChange} label={label} notes={notes} />
      );
    case "check":
      return (
        <div class="field">
          <label class="check">
            <input
              {...common}
              type="checkbox"
              checked={value === true}
              onChange={(event) => onChange(event.currentTarget.checked)}
            />
            <span>{label}</span>
          </label>
          {notes}
        </div>
      );
    default:
      return (
        <div class="field">
          <label for={id}>{label}</label>
          {field.kind === "choice" ? (
            <ChoiceInput common={common} choices={field.choices} value={value} onChange={onChange} />
          ) : field.kind === "json" ? (
            <JsonInput common={common} value={value} onChange={onChange} placeholder={placeholder} />
          ) : field.kind === "number" ? (
            <NumberInput common={common} value={value} onChange={onChange} placeholder={placeholder} />
          ) : field.isLong ? (
            <textarea
              {...common}
              rows={3}
              placeholder={placeholder}
              value={typeof value === "string" ? value : ""}
              onInput={(event) => onChange(given(event.currentTarget.value))}
            />
          ) : field.input === "date" ? (
            <input
              {...common}
              type="date"
              value={typeof value === "string" ? value : ""}
              onInput={(event) => onChange(given(event.currentTarget.value))}
            />
          ) : (
            <input
              {...common}
              inputMode={field.input}
              placeholder={placeholder}
              value={typeof value === "string" ? value : ""}
              onInput={(event) => onChange(given(event.currentTarget.value))}
            />
          )}
          {notes}
        </div>
      );
  }
}

const given = (text: string): string | undefined => (text === "" ? undefined : text);

interface InputProps {
  readonly common: object;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** What is typed stays as it is, also while it is not a number yet. */
function NumberInput({
  common,
  value,
  onChange,
  placeholder,
}: InputProps & { readonly placeholder: string }): JSX.Element {
  const [text, setText] = useState(value === undefined ? "" : shown(value));
  const type = (next: string): void => {
    setText(next);
    const number = Number(next);
    onChange(next.trim() === "" ? undefined : Number.isNaN(number) ? next : number);
  };
  return (
    <input
      {...common}
      inputMode="decimal"
      placeholder={placeholder}
      value={text}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}

function JsonInput({
  common,
  value,
  onChange,
  placeholder,
}: InputProps & { readonly placeholder: string }): JSX.Element {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, undefined, 2));
  const type = (next: string): void => {
    setText(next);
    if (next.trim() === "") return onChange(undefined);
    try {
      onChange(JSON.parse(next));
    } catch {
      onChange(new NotJson(next));
    }
  };
  return (
    <textarea
      {...common}
      class="code"
      rows={3}
      spellcheck={false}
      placeholder={placeholder === "" ? "JSON" : placeholder}
      value={text}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}

function ChoiceInput({
  common,
  choices,
  value,
  onChange,
}: InputProps & { readonly choices: readonly Choice[] }): JSX.Element {
  const at = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
  return (
    <select
      {...common}
      value={at}
      onChange={(event) => onChange(choices[Number(event.currentTarget.value)]?.value)}
    >
      <option value={-1}>not given</option>
      {choices.map(({ title }, index) => (
        <option key={index} value={index}>
          {plain(title)}
        </option>
      ))}
    </select>
  );
}

interface GroupProps extends Pick<FieldProps, "value" | "onChange"> {
  readonly label: JSX.Element;
  readonly notes: JSX.Element;
}

function ChoicesInput({
  choices,
  value,
  onChange,
  label,
  notes,
}: GroupProps & { readonly choices: readonly Choice[] }): JSX.Element {
  const chosen = new Set((Array.isArray(value) ? value : []).map((one) => JSON.stringify(one)));
  const toggle = (choice: Choice): void => {
    const key = JSON.stringify(choice.value);
    if (chosen.has(key)) chosen.delete(key);
    else chosen.add(key);
    onChange(choices.filter((one) => chosen.has(JSON.stringify(one.value))).map((one) => one.value));
  };
  return (
    <fieldset>
      <legend>{label}</legend>
      {notes}
      {choices.map((choice) => (
        <label key={choice.title} class="check">
          <input
            type="checkbox"
            checked={chosen.has(JSON.stringify(choice.value))}
            onChange={() => toggle(choice)}
          />
          <Said>{choice.title}</Said>
        </label>
      ))}
    </fieldset>
  );
}

function ListInput({
  field,
  name,
  path,
  value,
  onChange,
  problems,
  label,
  notes,
}: FieldProps & GroupProps & { readonly field: Extract<Field, { readonly kind: "list" }> }): JSX.Element {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  // A removed item takes its input with it.
  const [keys, setKeys] = useState<readonly number[]>(() => items.map((_, at) => at));
  const add = (): void => {
    setKeys([...keys, Math.max(-1, ...keys) + 1]);
    onChange([...items, field.item.kind === "check" ? false : field.item.kind === "group" ? {} : ""]);
  };
  const remove = (at: number): void => {
    const left = items.filter((_, index) => index !== at);
    setKeys(keys.filter((_, index) => index !== at));
    onChange(left.length === 0 ? undefined : left);
  };
  return (
    <fieldset>
      <legend>{label}</legend>
      {notes}
      {items.map((item, at) => (
        <div key={keys[at] ?? at} class="list-item">
          <FieldInput
            field={field.item}
            name={`${name} ${at + 1}`}
            path={`${path}.${at}`}
            isRequired
            value={item}
            onChange={(next) => onChange(items.map((one, index) => (index === at ? (next ?? "") : one)))}
            problems={problems}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${plain(name)} ${at + 1}`}
            onClick={() => remove(at)}
          >
            ✕
          </button>
        </div>
      ))}
      <div>
        <button type="button" onClick={add}>
          Add
        </button>
      </div>
    </fieldset>
  );
}
