"""What a server does for a program: python tour.py [CODE [MODEL]]

The address and the key of the server are PRAXIS_SERVER and PRAXIS_KEY; for one on this machine
neither is needed. With a model (PROVIDER:NAME) a question is asked at the end.
"""

import sys

from praxis_client import NotFoundError, Praxis

code = sys.argv[1] if len(sys.argv) > 1 else "print('units:', 3 + 5)"
model = sys.argv[2] if len(sys.argv) > 2 else None
sales = "region,units\neu,3\nus,5\n"

with Praxis() as p, p.session(metadata={"for": "tour"}) as s:
    result = s.run(code)
    print("run:", result.status, len(result.stdout), "characters")

    s.write("sales.csv", sales)
    print("files:", *(f["path"] for f in s.files()))
    print("read:", len(s.read("sales.csv")), "bytes")

    events = s.stream(code)
    for event in events:
        if event.name == "output":
            print("output:", event.data["text"].strip())
    print("stream:", events.result.status)

    with s.fork()[0] as twin:  # goes on by itself
        print("fork:", twin.run(code).check().status)

    try:
        p.attach("nobody")
    except NotFoundError as error:
        print("error:", error.kind, error.status)

    if model:
        answer = p.ask("How many units were sold?", files={"sales.csv": sales}, model=model, stream=True)
        for event in answer:
            if event.name == "execution_began" and not event.data.get("purpose"):
                print("code:", event.data["code"].strip())
        print("answer:", answer.result.text, "(verified)" if answer.result.verified else "")
        print("record:", p.records.verify(answer.result.record)["status"])
