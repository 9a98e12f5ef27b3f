"""Tutorials: one script in docs/learn/ makes a page, its figures and a notebook.

A source is a script in the percent format of Jupytext, so that editors and Jupyter open it as a notebook:

    # ---
    # title: Your first robot
    # order: 1
    # minutes: 10
    # extras: plot
    # learn: load a robot, look at it, find its torques
    # ---

    # %% [markdown]
    # Text of the page, in Markdown. Equations stand in `$...$` and `$$...$$`.

    # %%
    print("The page shows the code and what it prints, or the value of the last line.")

    # %% alt="What one sees in the figure that this cell makes"
    figure, axes = plt.subplots()

    # %% tags=["answer"]
    print("Cells of an answer, one after the other, are folded together.")

A cell makes one figure at most. Its tag "cover" says that its figure stands for the tutorial in the list, instead of
the first one.
"""
