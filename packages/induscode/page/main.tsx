import { render } from "preact";
import { App } from "./app.tsx";
import { openSession } from "./session.ts";

const place = document.getElementById("page");
if (place) render(<App />, place);
void openSession();
