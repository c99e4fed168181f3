"""Drives one conversation through programs that keep their state on DynamoDB.

Reads a plan as JSON on stdin: the address of a DynamoDB server, what is said and what a
scripted model answers in each turn, and the tool's call and result. Writes what each peer
cost as JSON on stdout: requests, bytes, capacity and time of every turn, and what is left
of twenty messages that come at once.

Every request is counted where it leaves botocore, with ReturnConsumedCapacity=TOTAL added
to it. The programs are used as their documentation shows, with a fresh table each.
"""

import json
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import boto3
from botocore.config import Config

READS = {"GetItem", "Query", "BatchGetItem", "Scan", "TransactGetItems"}
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}


class Meter:
    """Adds up what a session's DynamoDB clients send."""

    def __init__(self, session):
        self.lock = threading.Lock()
        self.reset()
        session.events.register("before-parameter-build.dynamodb.*", self.ask)
        session.events.register("before-send.dynamodb.*", self.sent)
        session.events.register("after-call.dynamodb.*", self.answered)

    def reset(self):
        self.requests, self.bytes, self.wcu, self.rcu = 0, 0, 0.0, 0.0

    def ask(self, params, model, **_):
        if model.name in READS | WRITES:
            params["ReturnConsumedCapacity"] = "TOTAL"

    def sent(self, request, **_):
        with self.lock:
            self.requests += 1
            self.bytes += len(request.body or b"")

    def answered(self, parsed, model, **_):
        used = parsed.get("ConsumedCapacity") or []
        units = sum(c["CapacityUnits"] for c in (used if isinstance(used, list) else [used]))
        with self.lock:
            if model.name in READS:
                self.rcu += units
            else:
                self.wcu += units

    def taken(self):
        with self.lock:
            got = {"requests": self.requests, "bytes": self.bytes, "wcu": self.wcu, "rcu": self.rcu}
            self.reset()
            return got


def connect(plan):
    session = boto3.Session(aws_access_key_id="local", aws_secret_access_key="local", region_name="us-east-1")
    return session, Meter(session)


def table(plan, name, *keys):
    client = boto3.client("dynamodb", endpoint_url=plan["endpoint"], region_name="us-east-1",
                          aws_access_key_id="local", aws_secret_access_key="local")
    client.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": k, "AttributeType": "S"} for k in keys],
        KeySchema=[{"AttributeName": k, "KeyType": t} for k, t in zip(keys, ("HASH", "RANGE"))])
    return name


def drive(plan, turn, meter):
    """Runs every turn of the plan and measures each."""
    measured = []
    for said, answer in zip(plan["said"], plan["answers"]):
        meter.reset()
        start = time.perf_counter()
        turn(said, answer)
        took = (time.perf_counter() - start) * 1000
        measured.append({**meter.taken(), "ms": took})
    return measured


def report(name, kind, measured, crowd=None):
    total = {k: sum(m[k] for m in measured) for k in ("requests", "bytes", "wcu", "rcu")}
    late = measured[-10:]
    return {"name": name, "kind": kind, "turns": measured, "total": total, "crowd": crowd,
            "ms": statistics.median(m["ms"] for m in late)}


def crowd(plan, say, count):
    """Says twenty things at once, and then the same twenty again."""
    texts = plan["crowd"]

    def all_at_once():
        def one(text):
            try:
                say(text)
                return 0
            except Exception:  # whatever it is, the message was not taken and its sender knows
                return 1
        with ThreadPoolExecutor(len(texts)) as pool:
            return sum(pool.map(one, texts))

    errors = all_at_once()
    kept = len(set(count()) & set(texts))
    errors += all_at_once()
    return {"of": len(texts), "kept": kept, "rows": len(count()), "errors": errors}


def langgraph(plan, name, durability, gzip, tool, with_crowd):
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph_checkpoint_aws import DynamoDBSaver

    session, meter = connect(plan)
    saver = DynamoDBSaver(
        table_name=table(plan, "peer-" + "".join(c if c.isalnum() else "-" for c in name) + ("-tool" if tool else ""), "PK", "SK"),
        session=session, endpoint_url=plan["endpoint"], enable_checkpoint_compression=gzip,
        boto_config=Config(max_pool_connections=64))
    answers = {}

    def model(state):
        last = state["messages"][-1]
        if tool and isinstance(last, HumanMessage):
            call = {"name": plan["tool"]["name"], "args": plan["tool"]["args"], "id": f"call-{len(state['messages'])}"}
            return {"messages": [AIMessage("", tool_calls=[call])]}
        said = next(m.content for m in reversed(state["messages"]) if isinstance(m, HumanMessage))
        return {"messages": [AIMessage(answers.get(said, plan["answers"][0]))]}

    def tools(state):
        call = state["messages"][-1].tool_calls[0]
        return {"messages": [ToolMessage(plan["tool"]["result"], tool_call_id=call["id"], name=call["name"])]}

    def next_step(state):
        return "tools" if getattr(state["messages"][-1], "tool_calls", None) else END

    graph = StateGraph(MessagesState)
    graph.add_node("model", model)
    graph.add_edge(START, "model")
    if tool:
        graph.add_node("tools", tools)
        graph.add_conditional_edges("model", next_step, ["tools", END])
        graph.add_edge("tools", "model")
    else:
        graph.add_edge("model", END)
    app = graph.compile(checkpointer=saver)
    more = {"durability": durability} if durability else {}

    def config(thread):
        return {"configurable": {"thread_id": thread}}

    def turn(said, answer):
        answers[said] = answer
        app.invoke({"messages": [HumanMessage(said)]}, config("one"), **more)

    measured = drive(plan, turn, meter)
    many = None
    if with_crowd:
        def say(text):
            app.invoke({"messages": [HumanMessage(text)]}, config("crowd"), **more)

        def count():
            return [m.content for m in app.get_state(config("crowd")).values["messages"] if isinstance(m, HumanMessage)]
        many = crowd(plan, say, count)
    return report(name, "tool" if tool else "plain", measured, many)


def history(plan):
    from langchain_community.chat_message_histories import DynamoDBChatMessageHistory

    session, meter = connect(plan)
    name = table(plan, "peer-langchain-history", "SessionId")

    def of(who):
        return DynamoDBChatMessageHistory(table_name=name, session_id=who, endpoint_url=plan["endpoint"], boto3_session=session)

    def turn(said, answer, who="one"):
        h = of(who)
        _ = h.messages  # what the model is shown
        h.add_user_message(said)
        h.add_ai_message(answer)

    measured = drive(plan, turn, meter)
    many = crowd(plan, lambda text: turn(text, plan["answers"][0], "crowd"),
                 lambda: [m.content for m in of("crowd").messages if m.type == "human"])
    return report("langchain-community history", "plain", measured, many)


def squad(plan):
    import asyncio

    from agent_squad.agents import Agent, AgentOptions
    from agent_squad.classifiers import Classifier, ClassifierResult
    from agent_squad.orchestrator import AgentSquad
    from agent_squad.storage import DynamoDbChatStorage
    from agent_squad.types import ConversationMessage, ParticipantRole

    session, meter = connect(plan)
    storage = DynamoDbChatStorage(table(plan, "peer-agent-squad", "PK", "SK"), "us-east-1")
    storage.dynamodb = session.resource("dynamodb", endpoint_url=plan["endpoint"], config=Config(max_pool_connections=64))
    storage.table = storage.dynamodb.Table("peer-agent-squad")
    answers = {}

    class Guide(Agent):
        async def process_request(self, input_text, user_id, session_id, chat_history, additional_params=None):
            text = answers.get(input_text, plan["answers"][0])
            return ConversationMessage(role=ParticipantRole.ASSISTANT.value, content=[{"text": text}])

    class Always(Classifier):
        async def process_request(self, input_text, chat_history):
            return ClassifierResult(selected_agent=guide, confidence=1)

    guide = Guide(AgentOptions(name="guide", description="Answers."))
    app = AgentSquad(storage=storage, classifier=Always())
    app.add_agent(guide)

    def turn(said, answer, session_id="one"):
        answers[said] = answer
        got = asyncio.run(app.route_request(said, "user", session_id))
        if got.output.content[0]["text"] != answer:  # an error comes as a text
            raise RuntimeError(got.output.content[0]["text"])

    measured = drive(plan, turn, meter)
    many = crowd(plan, lambda text: turn(text, plan["answers"][0], "crowd"),
                 lambda: [m.content[0]["text"] for m in asyncio.run(storage.fetch_chat("user", "crowd", guide.id))
                          if m.role == ParticipantRole.USER.value])
    return report("agent-squad", "plain", measured, many)


def main():
    import warnings
    warnings.filterwarnings("ignore")
    plan = json.load(sys.stdin)
    peers, left_out = [], []

    def add(what, f):
        start = time.time()
        try:
            peers.append(f())
            print(f"  {what}: {time.time() - start:.1f} s", file=sys.stderr)
        except Exception as e:  # said loudly by the caller; the others are measured all the same
            left_out.append(f"{what}: {type(e).__name__}: {e}")

    variants = [("langgraph, as it comes", None, False), ("langgraph, exit", "exit", False), ("langgraph, exit+gzip", "exit", True)]
    for name, durability, gzip in variants:
        for tool in (False, True):
            add(name + (", tool" if tool else ""),
                lambda: langgraph(plan, name, durability, gzip, tool, with_crowd=not tool))
    add("langchain-community history", lambda: history(plan))
    add("agent-squad", lambda: squad(plan))
    json.dump({"peers": peers, "leftOut": left_out}, sys.stdout)


if __name__ == "__main__":
    main()
